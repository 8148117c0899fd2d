"""The line that tells how far an engine is."""

from __future__ import annotations

import io
from dataclasses import replace

import pyarrow as pa
import pytest
from kaicep.commands import progress_line as meter_module
from kaicep.commands.progress_line import ProgressLine
from kaicep.commands.query_run import summary
from kaicep.pipeline.durability.progress import Progress, StreamCount
from kaicep.pipeline.flow.batch_result import BatchResult
from kaicep.semfilter.runtime import SubqueryStatistics
from rich.console import Console


def after(batches: int, **counts: int) -> Progress:
    return Progress(batches, {"air": StreamCount(**counts)}, {"high": 3, "low": 4})


def test_the_line_has_events_rate_matches_and_lag() -> None:
    meter = ProgressLine(Console(file=io.StringIO())).watching(lambda: 12)
    with meter:
        meter(after(1, events=1000))
        parts = meter.line().split(" · ")
    assert [parts[0], parts[2], parts[3]] == ["1,000 events", "7 matches", "archive 12 events behind"]
    assert parts[1].endswith(" events/s")


def test_only_this_run_s_events_count() -> None:
    """Progress goes on over restarts: what was there before is not this run's."""
    step = BatchResult({}, {"high": pa.table({"x": [1, 2]})})
    meter = ProgressLine(Console(file=io.StringIO()))
    with meter:
        meter(after(7, events=1000).resumed().after(step, {"air": 0}, 0.5, {}))
    assert meter.progress.records == 0
    assert summary(meter)[1:] == ["  high: 2 matches"]


def test_plain_lines_come_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.StringIO()
    monkeypatch.setattr(meter_module, "_SECONDS_BETWEEN_LINES", 0.0)
    with ProgressLine(Console(file=text, width=200)) as meter:
        meter(after(1, events=5))
    assert text.getvalue().startswith("5 events · ")
    assert text.getvalue().endswith(" · 7 matches\n")


def test_quiet_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.StringIO()
    monkeypatch.setattr(meter_module, "_SECONDS_BETWEEN_LINES", 0.0)
    with ProgressLine(Console(file=text, force_terminal=True), quiet=True) as meter:
        meter(after(1, events=5))
    assert text.getvalue() == ""


def test_a_terminal_has_one_line_that_goes_away() -> None:
    text = io.StringIO()
    with ProgressLine(Console(file=text, force_terminal=True, width=100)) as meter:
        meter(after(1, events=5))
    assert "\n\n" not in text.getvalue()
    assert text.getvalue().endswith("\x1b[2K")


def test_the_summary_says_what_paths_cost() -> None:
    meter = ProgressLine(Console(file=io.StringIO()))
    cost = SubqueryStatistics(events=9000, keys=200, hits=150, misses=50, evaluation_seconds=0.0025, seconds=0.004)
    asked = (cost, SubqueryStatistics())
    with meter:
        meter(replace(after(1, events=9000), subqueries={"low": asked}))
    assert summary(meter)[1:] == [
        "  high: 3 matches",
        "  low: 4 matches",
        "    PATH 1: 9,000 events, 75.0% of 200 keys known, 50 evaluated in 2.5 ms, 4.0 ms in all",
        "    PATH 2: 0 events, none asked, 0 evaluated in 0.0 ms, 0.0 ms in all",
    ]


def test_the_summary_names_what_could_not_be_used() -> None:
    meter = ProgressLine(Console(file=io.StringIO()))
    with meter:
        meter(after(1, events=5, late=1, duplicates=2, rejected=3, malformed=4))
    assert summary(meter)[1:] == [
        "  high: 3 matches",
        "  low: 4 matches",
        (
            "  of stream air: 1 late (archived, but no part of their streams), 2 duplicates (ignored), "
            "3 rejected (in the dead letters), 4 malformed (in the dead letters)"
        ),
    ]
