"""A state that was lost is rebuilt from the log, and is the same."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.archive import Archive
from kaicep.pipeline.durability.replay.state_replay import StateReplay
from kaicep.pipeline.flow.batch import Batch
from kaicep.pipeline.sinks.sink import Sink
from support.station import COUNT, PAIRS, Station

STEPS = st.lists(
    st.tuples(
        st.integers(0, 15),
        st.dictionaries(st.sampled_from(["air", "door"]), st.lists(st.integers(0, 12), min_size=1, max_size=3)),
    ),
    min_size=2,
    max_size=8,
)
QUERIES = (
    COUNT,
    PAIRS,
    """CREATE QUERY busy AS SELECT ?e.x AS x FROM (?e, air) OUTPUT ALL EVERY 7s;
       SELECT COUNT(?b) AS n FROM (?b, busy) WINDOW (?b, session, 3s)""",
)


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_a_replay_of_the_log_gives_what_was_given(steps: list[tuple[int, dict[str, list[int]]]]) -> None:
    """Rebuilt state is the same state; a query over the past finds what one found that was always there."""
    with ExitStack() as open_:
        folder = Path(open_.enter_context(TemporaryDirectory()))
        station = Station(folder, *QUERIES, air={"idle_timeout": "4s"}, door={"idle_timeout": "6s", "lateness": "2s"})
        open_.callback(station.stop)
        base, live = 0, []
        for silence, brought in steps:
            station.clock.seconds += silence
            base += silence // 2
            live += station.deliver(**{name: [base + s for s in own] for name, own in brought.items()})["q1"]
            live += station.beat(silence / 2).get("q1", [])
        station.submit(PAIRS.replace("JOIN", "WITHIN (, ) JOIN"), "past")
        rows = station.deliver().get("past", [])
        while station.flow.queries.backfilled:
            rows += station.deliver().get("past", [])
        assert [row["_events"] for row in rows] == [row["_events"] for row in live]
        watermarks, late = station.watermarks, {name: s.late for name, s in station.flow.progress.streams.items()}
        state = station.flow.dataflow.snapshot()
        last = station.flow.last
        station.stop()
        shutil.rmtree(folder / "state" / "snapshots")
        station.start()
        station.submit(PAIRS.replace("JOIN", "WITHIN (, ) JOIN"), "past")
        station.flow._flow.prepare((last or 0) + 1, patient=True)
        assert station.watermarks == watermarks
        assert {name: s.late for name, s in station.flow.progress.streams.items()} == late
        rebuilt = station.flow.dataflow.snapshot()
        assert {name: state[name] for name in state if name.startswith("stream/")} == {
            name: rebuilt[name] for name in rebuilt if name.startswith("stream/")
        }


DISTINCT = "SELECT DISTINCT ?e.x % 5 AS x FROM (?e, air)"


@pytest.fixture
def held_up(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Lets queries that catch up wait until it is set."""
    goes_on = threading.Event()
    pieces = StateReplay.batches

    def waiting(self: StateReplay) -> Iterator[Batch]:
        while threading.current_thread() is not threading.main_thread() and not goes_on.wait(0.01):
            self.dataflow._isolation.leave_when_cancelled()
        yield from pieces(self)

    monkeypatch.setattr(StateReplay, "batches", waiting)
    return goes_on


def lost(station: Station) -> None:
    """A restart that finds no snapshot."""
    station.stop()
    shutil.rmtree(station.folder / "state" / "snapshots")
    station.start()


def until_caught_up(station: Station) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while station.flow.queries.backfilled:
        found += station.deliver().get("q1", [])
    return found


def test_one_that_needs_much_of_the_log_holds_no_other_up(
    tmp_path: Path, opened: list[Station], held_up: threading.Event
) -> None:
    """Its rows come when it has caught up, each once; also if the state is lost again on the way."""
    station = Station(tmp_path, COUNT, DISTINCT)
    opened.append(station)
    for second in range(1, 4):
        station.deliver(air=[second])
    lost(station)
    first = station.deliver(air=[4, 5, 12])
    assert [row["n"] for row in first["q0"]] == [5]
    assert first.get("q1", []) == []
    assert station.flow.queries.backfilled == {"q1"}
    assert "q1 need more of it, and catch up beside the stream" in station.said[-1]
    assert " is rebuilt by what the log has from 2026-02-28T23:59:43Z on" in station.said[-1]
    lost(station)
    again = station.deliver(air=[24])
    assert [row["n"] for row in again["q0"]] == [1]
    held_up.set()
    assert [row["x"] for row in until_caught_up(station)] == [3, 4, 0]
    assert not list(station.flow.queries.parked)
    assert [row["x"] for row in station.deliver(air=[26, 37, 48])["q1"]] == []


class Marks(Sink):
    """Keeps where rows come from, by query."""

    def __init__(self) -> None:
        self.found: dict[str, list[tuple[int, str, bool]]] = {}

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Keep it."""
        del batch_id
        columns = (matches[name].to_pylist() for name in ("x", "_source", "_recovered"))
        self.found.setdefault(query_name, []).extend(zip(*columns, strict=True))


def test_rows_that_nobody_got_before_the_restart_say_so(tmp_path: Path, opened: list[Station]) -> None:
    """Whether their query goes on at once or catches up beside the stream: they were missed; later ones were not."""
    plain = DISTINCT.replace("DISTINCT ", "")
    station = Station(tmp_path, plain, DISTINCT, sinks=[marks := Marks()])
    opened.append(station)
    for second in range(1, 4):
        station.deliver(air=[second])
    journal = tmp_path / "state" / "queries" / "batches.jsonl"
    station.stop()
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))  # as a power cut leaves it
    shutil.rmtree(tmp_path / "state" / "snapshots")
    marks.found.clear()
    station.start()
    station.deliver(air=[4])
    until_caught_up(station)
    station.deliver(air=[10])
    assert marks.found["q0"] == [(2, "archive", True), (3, "live", False), (4, "live", False)]
    assert marks.found["q1"] == [(2, "archive", True), (3, "archive", False), (4, "live", False)]


def test_what_the_log_does_not_reach_back_to_is_said(
    tmp_path: Path, opened: list[Station], monkeypatch: pytest.MonkeyPatch
) -> None:
    station = Station(tmp_path, DISTINCT)
    opened.append(station)
    for second in range(1, 6):
        station.deliver(air=[second])
    monkeypatch.setattr(Archive, "forgets", True)
    for path in sorted((tmp_path / "var/archive/log/air").glob("*.parquet"))[:2]:
        path.unlink()
    lost(station)
    station.deliver(air=[6])
    while station.flow.queries.backfilled:
        station.deliver()
    assert (
        "recovery: q0 has of the time before batch 6 only what the log still has (log_age, log_size under [archive])"
    ) in station.said


def test_where_it_is_unknown_where_the_streams_were_the_whole_log_is_replayed(
    tmp_path: Path, opened: list[Station], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier version has not noted it."""
    monkeypatch.setattr("kaicep.pipeline.durability.state_recovery.moments_of", lambda _parts: None)
    station = Station(tmp_path, COUNT)
    opened.append(station)
    station.deliver(air=[1, 2, 3])
    lost(station)
    assert [row["n"] for row in station.deliver(air=[11])["q0"]] == [3]
    assert station.said == ["recovery: the state after batch 1 is rebuilt by the log, from its beginning"]


def test_counts_are_those_of_the_batch_also_without_a_snapshot(tmp_path: Path, opened: list[Station]) -> None:
    """What was malformed, or a duplicate, is in no log."""
    station = Station(tmp_path, COUNT)
    opened.append(station)
    station.deliver(air=[1, 1, 2])
    station.deliver(air=[14, 3])
    counted = station.flow.progress
    lost(station)
    station.deliver()
    assert station.flow.progress.streams == counted.streams
    assert (counted.streams["air"].duplicates, counted.streams["air"].late) == (1, 1)
    assert station.flow.progress.batches == counted.batches + 1


def test_what_is_replayed_takes_as_long_as_it_takes(tmp_path: Path, opened: list[Station]) -> None:
    """A project that gives live batches no time at all: states are made again, and what was missed comes."""
    station = Station(tmp_path, COUNT, DISTINCT)
    opened.append(station)
    for second in range(1, 4):
        station.deliver(air=[second])
    engine = station.project.settings.engine.model_copy(update={"query_timeout": timedelta(0)})
    station.project = replace(station.project, settings=station.project.settings.model_copy(update={"engine": engine}))
    lost(station)
    station.submit(DISTINCT.replace("(?e, air)", "(?e, air) WITHIN (, )"), "past")
    station.flow._flow.prepare(4, patient=True)
    flows = station.flow.dataflow.flows
    assert {label: flow.failure for label, flow in flows.items()} == dict.fromkeys(("q0", "q1", "past"))
    assert not [parked for parked in station.flow.queries.parked if not parked.resuming]
    assert station.flow.queries.backfilled == frozenset()
    station.deliver(air=[14])
    assert {parked.label for parked in station.flow.queries.parked} == {"q0", "q1", "past"}
