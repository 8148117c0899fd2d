"""JSON lines: what is written, and that a batch delivered again changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from kaicep.pipeline.sinks.row_values import json_lines
from support.match_rows import matches


def test_json_lines_are_cut_back_to_the_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "new" / "out.jsonl"
    sink = JsonLinesSink(path)
    sink.write(0, "Q", matches(1))
    sink.flush()
    state = json.loads(json.dumps(sink.snapshot()))
    whole = path.read_bytes()
    sink.write(1, "Q", matches(2, 3))
    sink.close()
    again = JsonLinesSink(path)
    again.restore(state)
    assert path.read_bytes() == whole
    again.write(1, "Q", matches(2, 3))
    again.close()
    assert [json.loads(line)["rate"] for line in path.read_text().splitlines()] == [1, 2, 3]


def test_json_lines_go_on_in_a_file_that_was_moved_away(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    sink = JsonLinesSink(path)
    sink.restore({"file": str(path.resolve()), "bytes": 1000})
    sink.write(5, "Q", matches(1))
    assert sink.snapshot()["bytes"] == len(path.read_bytes())
    assert path.read_bytes() == json_lines(matches(1), "Q")


def test_json_lines_are_cut_back_where_the_project_was_moved(tmp_path: Path) -> None:
    """And nothing of another file."""
    first, second = tmp_path / "first/out.jsonl", tmp_path / "second/out.jsonl"
    sink = JsonLinesSink(first)
    sink.write(0, "Q", matches(1))
    sink.flush()
    state = json.loads(json.dumps(sink.snapshot()))
    sink.write(1, "Q", matches(2))
    sink.close()
    (tmp_path / "first").rename(tmp_path / "second")
    (tmp_path / "first").mkdir()
    first.write_bytes(second.read_bytes())
    first.rename(tmp_path / "other.jsonl")
    for path, left in ((second, 1), (tmp_path / "other.jsonl", 2)):
        sink = JsonLinesSink(path)
        sink.restore(state)
        sink.close()
        assert len(path.read_text().splitlines()) == left


def test_json_lines_of_the_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    sink = JsonLinesSink("-")
    sink.write(0, "Q", matches(1))
    sink.flush()
    assert sink.snapshot() == {}
    assert capfdbinary.readouterr().out == json_lines(matches(1), "Q")


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PipelineError) as caught:
        JsonLinesSink(tmp_path)
    assert str(caught.value) == (
        f"cannot write matches to {tmp_path}: Is a directory: name a place that can be written"
    )
