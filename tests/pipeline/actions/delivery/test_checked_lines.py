"""Lines count as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.actions.delivery.checked_lines import append_lines, broken_lines, lines_of, write_lines


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.jsonl"
    assert list(lines_of(path)) == []
    append_lines(path, [{"n": 1}, {"n": "ä\n"}], sync=True)
    append_lines(path, [{"n": 3}], sync=False)
    assert list(lines_of(path)) == [{"n": 1}, {"n": "ä\n"}, {"n": 3}]
    write_lines(path, [{"n": 4}])
    assert list(lines_of(path)) == [{"n": 4}]


def test_what_was_torn_or_damaged_counts_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    append_lines(path, [{"n": n} for n in range(3)], sync=True)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b"1}", b"7}") + lines[2][:-4])
    assert list(lines_of(path)) == [{"n": 0}]
    assert broken_lines(path) == 2
    append_lines(path, [{"n": 9}], sync=True)
    assert list(lines_of(path)) == [{"n": 0}, {"n": 9}]
