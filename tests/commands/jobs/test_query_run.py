"""What is told of a run of queries."""

from __future__ import annotations

import io
from dataclasses import replace

from kaicep.commands.jobs.query_run import summary
from kaicep.commands.progress_line import ProgressLine
from kaicep.pipeline.durability.progress import Progress, StreamCount
from kaicep.semfilter.runtime import SubqueryStatistics
from rich.console import Console


def after(batches: int, **counts: int) -> Progress:
    return Progress(batches, {"air": StreamCount(**counts)}, {"high": 3, "low": 4})


def test_the_summary_says_what_paths_cost() -> None:
    meter = ProgressLine(Console(file=io.StringIO()))
    cost = SubqueryStatistics(events=9000, keys=200, hits=150, misses=50, evaluation_seconds=0.0025, seconds=0.004)
    asked = (cost, SubqueryStatistics())
    with meter:
        meter(replace(after(1, events=9000), subqueries={"low": asked}))
    assert summary(meter)[1:] == [
        "  high: 3 matches",
        "  low: 4 matches",
        "    PATH 1: holds for 0 of 9,000 events; 200 verdicts, 75.0% ready, 50 evaluated in 2.5 ms, 4.0 ms in all",
        "    PATH 2: holds for 0 of 0 events; no verdict asked for, 0 evaluated in 0.0 ms, 0.0 ms in all",
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


def test_the_summary_says_which_rows_wait_for_later_events() -> None:
    meter = ProgressLine(Console(file=io.StringIO()))
    with meter:
        meter(after(1, events=5))
    assert summary(meter, {"low": 1035})[1:] == [
        "  high: 3 matches",
        "  low: 4 matches; 1,035 more wait for later events",
        "  --finish ends the streams, and reports what waits for later events",
    ]
