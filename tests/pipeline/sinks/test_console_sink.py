"""The terminal: tables for people, lines for programs."""

from __future__ import annotations

import io

from kaicep.pipeline.sinks.console_sink import ConsoleSink
from kaicep.pipeline.sinks.row_values import json_lines
from rich.console import Console
from support.match_rows import matches


def test_the_console_shows_a_table_on_a_terminal() -> None:
    text = io.StringIO()
    sink = ConsoleSink(Console(file=text, force_terminal=True, width=60, color_system=None), limit=1)
    sink.write(0, "Q", matches(1.25, 2))
    assert "│ 1.25 │" in text.getvalue()
    assert text.getvalue().endswith("… and 1 more\n")


def test_the_console_writes_plain_lines_elsewhere() -> None:
    text = io.StringIO()
    sink = ConsoleSink(Console(file=text), limit=1)
    sink.write(0, "Q", matches(1, 2))
    sink.write(0, "Q", matches())
    assert text.getvalue().encode() == json_lines(matches(1, 2), "Q")
