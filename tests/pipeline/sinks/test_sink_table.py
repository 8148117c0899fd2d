"""Sinks by name, as the command line has them."""

from __future__ import annotations

from pathlib import Path

from kaicep.commands.run_commands import MatchFormat
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from kaicep.pipeline.sinks.sink_table import SINKS


def test_every_format_of_the_command_line_has_a_sink(tmp_path: Path) -> None:
    assert set(SINKS) == {form.value for form in MatchFormat}
    for name, make in SINKS.items():
        place = "127.0.0.1:9/rows" if name == "kafka" else str(tmp_path / name)
        assert make(place, {}).snapshot is not None


def test_lines_go_to_the_standard_output_where_no_file_is_named(tmp_path: Path) -> None:
    sink = SINKS["jsonl"](None, {})
    assert isinstance(sink, JsonLinesSink)
    assert sink.snapshot() == {}
    assert list(tmp_path.iterdir()) == []
