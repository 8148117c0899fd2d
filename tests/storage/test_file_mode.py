"""Who may read what is written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from kaicep.storage import make_folder, masked, write_atomically


@pytest.mark.parametrize(("umask", "folder", "file"), [("077", 0o700, 0o600), ("027", 0o750, 0o640)])
def test_files_have_no_more_rights_than_wanted(tmp_path: Path, umask: str, folder: int, file: int) -> None:
    before = os.umask(0o022)
    try:
        with masked(umask):
            make_folder(tmp_path / "a" / "b")
            with write_atomically(tmp_path / "a" / "b" / "x") as temporary:
                temporary.write_text("x")
        (tmp_path / "after").touch()
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {"a": folder, "b": folder, "x": file, "after": 0o644}
