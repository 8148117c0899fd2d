"""Rows behind what a file has: each once, also those that were written when the engine was killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kaicep.pipeline.actions import DeliveryError
from kaicep.pipeline.sinks.outgoing.lines_action import LinesAction
from support.row_calls import row_call, spec_of


def ids(file: Path) -> list[str]:
    return [json.loads(line)["_id"] for line in file.read_text().splitlines()]


def test_rows_are_appended(tmp_path: Path) -> None:
    sink = LinesAction(spec_of(tmp_path), "out/{query}.jsonl")
    sink.send([row_call(1), row_call(2)])
    sink.send([row_call(1, query="cold")])
    sink.send([row_call(3)])
    assert ids(tmp_path / "out/warm.jsonl") == ["a1", "a2", "a3"]
    assert ids(tmp_path / "out/cold.jsonl") == ["a1"]


def test_what_a_killed_one_has_written_does_not_come_again(tmp_path: Path) -> None:
    """It may have written some rows that are not noted as handed on, and a half one."""
    file = tmp_path / "rows.jsonl"
    LinesAction(spec_of(tmp_path), "rows.jsonl").send([row_call(1), row_call(2), row_call(2, query="cold")])
    with file.open("a") as lines:
        lines.write(row_call(3).arguments[:10])
    next_one = LinesAction(spec_of(tmp_path), "rows.jsonl")
    next_one.send([row_call(2), row_call(3), row_call(3, query="cold")])
    assert ids(file) == ["a1", "a2", "a2", "a3", "a3"]


def test_lines_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('no JSON\n{"_id": 1}\n[]\n')
    LinesAction(spec_of(tmp_path), "rows.jsonl").send([row_call(1)])
    assert (tmp_path / "rows.jsonl").read_text().splitlines()[:3] == ["no JSON", '{"_id": 1}', "[]"]


def test_a_last_line_that_lacks_its_end_alone_stays(tmp_path: Path) -> None:
    """Others may have written it."""
    (tmp_path / "rows.jsonl").write_text('{"mine": 1}')
    LinesAction(spec_of(tmp_path), "rows.jsonl").send([row_call(1)])
    first, second = (tmp_path / "rows.jsonl").read_text().splitlines()
    assert (first, json.loads(second)["_id"]) == ('{"mine": 1}', "a1")


def test_a_file_that_is_moved_away_is_begun_anew(tmp_path: Path) -> None:
    sink = LinesAction(spec_of(tmp_path), "rows.jsonl")
    sink.send([row_call(1)])
    (tmp_path / "rows.jsonl").rename(tmp_path / "rows.1")
    sink.send([row_call(2)])
    assert (ids(tmp_path / "rows.1"), ids(tmp_path / "rows.jsonl")) == (["a1"], ["a2"])


def test_a_place_that_cannot_be_written_is_told_and_tried_again(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    sink = LinesAction(spec_of(tmp_path), "out/rows.jsonl")
    with pytest.raises(DeliveryError, match=r"out/rows.jsonl cannot be written: ") as told:
        sink.send([row_call(1)])
    assert (told.value.refused, told.value.delivered) == (False, 0)
    (tmp_path / "out").unlink()
    sink.send([row_call(1)])
    assert ids(tmp_path / "out/rows.jsonl") == ["a1"]
