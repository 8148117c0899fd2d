"""A text that was damaged is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.storage import read_checked, write_checked


@pytest.mark.parametrize("text", ["", "one\ntwo\n", "χ-CEP"])
def test_a_text_is_read_as_it_was_written(text: str, tmp_path: Path) -> None:
    write_checked(tmp_path / "t", text)
    assert read_checked(tmp_path / "t") == text


def test_what_is_damaged_or_missing_is_none(tmp_path: Path) -> None:
    path = tmp_path / "t"
    assert read_checked(path) is None
    write_checked(path, "one two")
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole + b" ", whole.replace(b"two", b"tow"), whole[1:], b"\xff", b""):
        path.write_bytes(damaged)
        assert read_checked(path) is None
