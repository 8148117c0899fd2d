"""What is told of a run of queries."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from kaicep.api import Engine
from kaicep.archive import Archive
from kaicep.commands.jobs.query_run import fill_store, summary
from kaicep.commands.progress_line import ProgressLine
from kaicep.pipeline.durability.progress import Progress, StreamCount
from kaicep.pipeline.hosting import Signals
from kaicep.semfilter.runtime import SubqueryStatistics
from rich.console import Console
from support.archives import STREAM, opened, project, readings


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


def test_the_summary_says_what_rules_did() -> None:
    meter = ProgressLine(Console(file=io.StringIO()))
    with meter:
        meter(replace(after(1, events=9), rules={"low": {"calls": 1035, "events emitted": 0}}))
    assert summary(meter)[1:] == ["  high: 3 matches", "  low: 1,035 calls, 0 events emitted"]


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


def engine(root: Path, archive: Archive, **settings: object) -> Engine:
    """What an engine shows of its archive."""
    return cast("Engine", SimpleNamespace(project=SimpleNamespace(settings=project(root, **settings)), archive=archive))


def test_runs_do_not_leave_more_and_more_to_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run has read may wait until somebody asks; what earlier ones have left may not."""
    told = io.StringIO()
    with opened(tmp_path, store=False) as archive:
        archive.append(0, {STREAM: readings(60)})
    with opened(tmp_path) as archive, Signals() as signals:
        archive.append(1, {STREAM: readings(30, first=60)})
        fill_store(engine(tmp_path, archive), signals, ProgressLine(Console(file=told)))
        assert archive.lag.events <= 30
        archive.flush()
    told = io.StringIO()
    monkeypatch.setattr("kaicep.archive.sync.store_writer.StoreWriter._next", lambda _: None)
    with opened(tmp_path) as archive, Signals() as signals:
        archive.append(2, {STREAM: readings(40, first=90)})
        fill_store(engine(tmp_path, archive), signals, ProgressLine(Console(file=told)))
        assert told.getvalue() == (
            "the archive's store lacks 40 events of its log; `kaicep sparql` or the next run adds them\n"
        )


def test_an_endpoint_gets_all_that_a_run_has_read(tmp_path: Path) -> None:
    """Others ask it, and nobody would add what it lacks."""
    lags = iter([SimpleNamespace(events=n, matches=0) for n in (30, 20, 20, 0, 0, 0)])

    class Far:
        counts = SimpleNamespace(events=30)
        lag = property(lambda _: next(lags))

        def flush(self, timeout: float) -> bool:
            return timeout > 0

    told = io.StringIO()
    far = engine(tmp_path, cast("Archive", Far()), endpoint="http://127.0.0.1:1/")
    with Signals() as signals:
        fill_store(far, signals, ProgressLine(Console(file=told)))
    assert told.getvalue() == "the archive's store takes 30 events; Ctrl-C leaves them to the next start\n"
