"""The line that tells how far an engine is."""

from __future__ import annotations

import io
import re

import pytest
from kaicep.commands import progress_line as meter_module
from kaicep.commands.jobs.query_run import summary
from kaicep.commands.progress_line import ProgressLine
from kaicep.pipeline.durability.progress import Progress, StreamCount
from kaicep.pipeline.monitoring import BatchAtWork
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
    matches = {"high": 2}
    meter = ProgressLine(Console(file=io.StringIO()))
    with meter:
        meter(after(7, events=1000).resumed().after({}, matches, {"air": 0}, 0.5, {}))
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


def test_the_past_of_queries_is_told_with_an_estimate_at_its_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter in 10 s, so the half that is left takes 20 s more."""
    now, pasts = [100.0], {"low": 0.25}
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    meter = ProgressLine(Console(file=io.StringIO())).watching(lambda: 0, lambda: pasts)
    assert meter.line().endswith(" · past of low 25%")
    now[0], pasts["low"] = 110.0, 0.5
    assert meter.line().endswith(" · past of low 50%, 0:00:20 left")
    pasts.clear()
    assert meter.line().endswith(" matches")


def test_a_terminal_tells_of_the_past_before_any_batch_and_behind_it() -> None:
    text = io.StringIO()
    pasts = {"low": 0.4}
    meter = ProgressLine(Console(file=text, force_terminal=True, width=100)).watching(lambda: 0, lambda: pasts)
    with meter:
        assert "waiting for events" not in text.getvalue()
    assert " past of low 40%" in text.getvalue()
    with meter:
        meter(after(1, events=5))
        pasts["low"] = 0.9
    assert re.search(r"5 events · .* · 7 matches · past of low 90%", text.getvalue())


def test_a_batch_that_takes_long_is_told_before_it_is_done() -> None:
    batch = BatchAtWork(1, 1.5, "queries")
    meter = ProgressLine(Console(file=io.StringIO())).watching(lambda: 0, at_work=lambda: batch)
    with meter:
        assert str(meter._shown_now().text) == "waiting for events"
        batch = BatchAtWork(1, 12.34, "queries")
        assert str(meter._shown_now().text) == "batch 1 is at work, for 12.3 s (queries)"


def test_the_lag_has_an_estimate_once_it_shrinks(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the pace since the store lacked most: 600 events in 10 s, so 300 take 5 s more."""
    now, lag = [100.0], [900]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    meter = ProgressLine(Console(file=io.StringIO())).watching(lambda: lag[0])
    assert meter.line().endswith(" · archive 900 events behind")
    now[0], lag[0] = 110.0, 300
    assert meter.line().endswith(" · archive 300 events behind, 0:00:05 left")
    lag[0] = 1200
    assert meter.line().endswith(" · archive 1,200 events behind")


@pytest.mark.parametrize("notices", [False, True])
def test_notices_are_shown_to_whoever_wants_nothing_else(*, notices: bool) -> None:
    """As they are: what stands in brackets is no markup."""
    text = io.StringIO()
    meter = ProgressLine(Console(file=text), quiet=True, notices=notices)
    with meter:
        meter(after(1, events=5))
        meter.tell("streams.air: see [streams.air]")
    assert text.getvalue() == ("streams.air: see [streams.air]\n" if notices else "")
