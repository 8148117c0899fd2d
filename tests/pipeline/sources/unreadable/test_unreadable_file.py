"""A file that cannot be read says why, and what to do; its state tells whether it is another one."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import pytest
from kaicep.pipeline.sources.unreadable.unreadable_file import (
    GONE,
    UnreadableFile,
    file_state,
    is_torn,
    reading_error,
)


def test_the_state_is_another_one_when_the_file_is(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    assert (file_state(path), file_state(path / "below")) == (None, None)
    path.write_bytes(b"one")
    before = file_state(path)
    assert before == file_state(str(path))
    path.write_bytes(b"one and more")
    assert file_state(path) != before


@pytest.mark.parametrize(
    ("reason", "state", "complaint"),
    [
        ("not a gzip file", (3, 4), "cannot be read: not a gzip file; mend it in its place, and it is read"),
        (GONE, None, "cannot be read: it was gone before it was read; put it back, and it is read"),
        ("no ORC", None, "cannot be read: no ORC; give it again under another name"),
    ],
)
def test_the_complaint_says_what_to_do(reason: str, state: tuple[int, int] | None, complaint: str) -> None:
    assert UnreadableFile("/in/a", reason, state).complaint == complaint


@pytest.mark.parametrize(
    ("name", "content", "torn"),
    [
        ("a.json.gz", b"", True),
        ("a.json.GZ", gzip.compress(b"", mtime=0)[:17], True),
        ("a.json.gz", gzip.compress(b"", mtime=0), False),
        ("a.csv.bz2", b"BZh91", True),
        ("a.csv.bz2", bz2.compress(b""), False),
        ("a.json", b"", False),
    ],
    ids=["nothing", "a header cut off", "gzip of nothing", "a signature alone", "bzip2 of nothing", "not compressed"],
)
def test_what_is_shorter_than_any_compressed_file_is_torn(
    tmp_path: Path, name: str, content: bytes, *, torn: bool
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert is_torn(str(path)) is torn
    assert not is_torn(str(tmp_path / "gone.gz"))


def test_a_file_that_cannot_be_read_for_now_is_named() -> None:
    assert str(reading_error("/in/a.gz", "Input/output error")) == (
        "cannot read /in/a.gz: Input/output error: "
        "see that it may be read; its batch is read again when that has passed"
    )
