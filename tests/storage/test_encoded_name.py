"""Names that users give, as names of folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.storage import folder_name, name_of_folder


@pytest.mark.parametrize("name", ["air", "a/b", "..", ".", "../../etc", ".hidden", "", "%", "%2E", "ä b", "a\0b"])
def test_a_name_stays_in_its_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / folder_name(name)
    folder.mkdir()
    assert folder.parent.resolve() == tmp_path.resolve() == folder.resolve().parent
    assert not folder.name.startswith(".")
    assert name_of_folder(folder.name) == name
