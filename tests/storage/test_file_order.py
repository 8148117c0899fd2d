"""Files are read in the order of their turns: of one process or of several, whatever the clock says."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.storage import FileOrder


def put(order: FileOrder, text: str) -> None:
    turn = order.next()
    turn.path.write_text(text)
    turn.stamp(turn.path)


def read(folder: Path) -> list[str]:
    """As Spark does, which sees milliseconds."""
    files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns // 10**6)
    return [file.read_text() for file in files]


def test_files_of_one_millisecond_are_read_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time_ns", lambda: 10**18)
    order = FileOrder(tmp_path, "air")
    for number in range(5):
        put(order, str(number))
    assert read(tmp_path) == list("01234")
    assert {file.stat().st_mtime_ns // 10**6 for file in tmp_path.iterdir()} == {10**12 + n for n in range(5)}


def test_the_next_process_goes_on_behind_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(FileOrder(tmp_path, "air"), "first")
    monkeypatch.setattr("time.time_ns", lambda: 10**15)
    later = FileOrder(tmp_path, "air")
    later.resume()
    put(later, "second")
    assert read(tmp_path) == ["first", "second"]


def test_files_of_other_kinds_are_no_part_of_it(tmp_path: Path) -> None:
    order = FileOrder(tmp_path, "air")
    (tmp_path / "water-99999999999999-1.jsonl").write_text("other")
    (tmp_path / "air-what-1.jsonl").write_text("ours")
    order.resume()
    turn = order.next()
    assert turn.moment < 99999999999999
    assert order.waiting() == 4
