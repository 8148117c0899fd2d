"""A state that was lost is rebuilt from the log, and is the same."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
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
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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
        while station.flow.backfilled:
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
