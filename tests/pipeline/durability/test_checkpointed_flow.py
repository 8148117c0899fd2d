"""Time goes on over silent streams, and what was decided once stays decided (docs/semantics.md 1.5)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from kaicep import Project
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.durability.silence_note import SilenceNote
from kaicep.pipeline.durability.snapshots.operator_snapshots import OperatorSnapshots
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime
from kaicep.pipeline.sinks.json_lines_sink import JsonLinesSink
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch
from support import living
from support.station import COUNT, PAIRS, START, Station, counts


def test_a_window_closes_though_nothing_comes(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, COUNT)
    opened.append(station)
    assert counts(station.deliver(air=[1, 2, 3])) == []
    assert [counts(station.beat(10)) for _ in range(4)] == [[], [], [], [3]]  # 40 s of silence: 3 s + 10 s
    assert station.watermarks["air"] == 13


def test_an_alert_of_absence_comes_though_nothing_comes(tmp_path: Path, opened: list[Station]) -> None:
    """Also when the stream of what is absent has never brought anything."""
    text = "SELECT ?a.x AS x FROM (?a, air), (?d, door) JOIN (?a.x = ?d.x) SEQ (?a, NOT ?d FOR 20s)"
    station = Station(tmp_path, text)
    opened.append(station)
    assert station.deliver(air=[1, 2]) == {"q0": []}
    assert [row["x"] for row in station.beat(50).get("q0", [])] == []
    assert [row["x"] for row in station.deliver(door=[2.5])["q0"]] == []
    assert [[row["x"] for row in station.beat(10).get("q0", [])] for _ in range(6)] == [[], [], [], [], [1], []]


def test_the_stream_s_own_timeout_counts(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, COUNT, air={"idle_timeout": "2s"})
    opened.append(station)
    station.deliver(air=[1, 2, 3])
    assert counts(station.beat(8.9)) == []
    assert counts(station.beat(0.1)) == [3]


def test_with_never_a_window_waits_for_an_event(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, COUNT, air={"idle_timeout": "never"})
    opened.append(station)
    station.deliver(air=[1, 2, 3])
    assert counts(station.beat(1e6)) == []
    assert counts(station.deliver(air=[10])) == [3]


def test_a_stream_that_nobody_waits_for_stays_where_it_is(tmp_path: Path, opened: list[Station]) -> None:
    """So what comes after the silence is not late, however slowly a recorded stream is played back."""
    station = Station(tmp_path, COUNT)
    opened.append(station)
    station.deliver(air=[1, 2, 3])
    assert counts(station.beat(41)) == [3]
    assert station.beat(1e6) == {}
    station.deliver(air=[14.5])
    assert station.flow.progress.streams["air"].late == 0


def test_what_comes_below_the_watermark_is_late(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, COUNT, air={"lateness": "2s"})
    opened.append(station)
    station.deliver(air=[1, 2, 3])
    assert counts(station.beat(45)) == [3]  # 3 s - 2 s + 15 s
    assert counts(station.deliver(air=[15, 16, 27])) == [1]
    assert station.flow.progress.streams["air"].late == 1
    log = station.flow._flow._archive
    assert log is not None
    logged = log.log.read("air")
    assert logged.filter(pc.field("_late"))["x"].to_pylist() == [15]


def test_a_stream_that_never_begins_holds_nobody_up(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, PAIRS)
    opened.append(station)
    station.deliver(air=[1, 50])
    assert station.beat(31) == {"q0": []}
    assert station.watermarks == {"air": 50, "door": 21}  # air has been silent for a second longer than it may be
    assert [row["x"] for row in station.deliver(door=[19, 50, 100])["q0"]] == [50]
    assert station.watermarks == {"air": 51, "door": 100}
    assert station.flow.progress.streams["door"].late == 1


def test_a_silent_stream_does_not_hold_up_a_busy_one(tmp_path: Path, opened: list[Station]) -> None:
    """Its watermark moves in batches that bring events of others."""
    station = Station(tmp_path, PAIRS)
    opened.append(station)
    station.deliver(air=[1], door=[0, 1, 2])
    for second in range(8, 60, 6):
        station.clock.seconds += 6
        station.deliver(air=[second])
    assert station.watermarks == {"air": 56, "door": 2 + 54 - 30}


@pytest.mark.parametrize("archive", [True, False])
def test_a_batch_that_is_delivered_again_gives_the_same_rows(
    archive: bool, tmp_path: Path, opened: list[Station]
) -> None:
    """Also in a new process, which has seen no silence; and a batch that moved nothing moves nothing then."""
    station = Station(tmp_path, COUNT, archive=archive)
    opened.append(station)
    station.deliver(air=[1, 2, 3])
    station.clock.seconds += 35
    first = [station.deliver(door=[0])]
    station.clock.seconds += 6
    first.append(station.deliver())
    assert [counts(found) for found in first] == [[], [3]]
    station.clock.seconds += 100
    assert station.deliver(2, door=[0]) == first[0]
    assert station.deliver(3) == first[1]
    station.stop()
    station.start()
    assert station.deliver(3) == first[1]
    assert station.watermarks["air"] == 14


def test_an_event_far_ahead_of_the_clock_makes_nothing_late(tmp_path: Path, opened: list[Station]) -> None:
    """It is a dead letter; delivered again, also later and by another process, it is judged by the clock that was."""
    day = 86_400.0
    station = Station(tmp_path, COUNT)
    opened.append(station)
    station.wall = START
    first = station.deliver(air=[1, day, 3], door=[0])
    station.wall = START + timedelta(seconds=20)
    again = station.deliver(air=[12, 2 * day], door=[11])
    assert (counts(first), counts(again)) == ([], [2])
    station.stop()
    station.start()
    assert station.deliver(2, air=[12, 2 * day], door=[11]) == again
    letters = (tmp_path / "state" / "dead-letters" / "air").glob("*.jsonl")
    reasons = [json.loads(line)["reason"] for file in sorted(letters) for line in file.read_text().splitlines()]
    assert [reason.partition(", ")[0] for reason in reasons] == [
        f"t: 2026-03-0{n}T00:00:00Z is more than 1h ahead of the wall clock" for n in (2, 3)
    ]
    assert station.flow.progress.streams["air"].rejected == 2


def test_a_clock_put_back_by_a_day_refuses_nothing(tmp_path: Path, opened: list[Station]) -> None:
    """How late it was is known after a restart, too."""
    station = Station(tmp_path, COUNT)
    opened.append(station)
    station.wall = START
    station.deliver(air=[1], door=[1])
    station.stop()
    station.start()
    station.wall = START - timedelta(days=1)
    found = station.deliver(air=[12], door=[12])
    assert counts(found) == [1]


def test_silence_is_what_an_engine_hears_that_listens(tmp_path: Path, opened: list[Station]) -> None:
    """Time between two runs does not count; then the watermark goes on from where it was, and silence as well."""
    station = Station(tmp_path, COUNT)
    opened.append(station)
    station.deliver(air=[1, 2, 3])
    station.beat(35)
    station.stop()
    station.clock.seconds += 1e6
    station.start()
    station.clock.seconds += 1.9
    assert counts(station.deliver()) == []
    assert station.watermarks["air"] == 8
    assert counts(station.beat(0)) == []  # 36.9 s of silence: 3 s + 6.9 s
    assert counts(station.beat(0.1)) == [3]


@pytest.mark.parametrize("killed", [False, True])
def test_a_silent_stream_falls_behind_by_no_restart(killed: bool, tmp_path: Path, opened: list[Station]) -> None:
    """An engine that is started again more often than `idle_timeout` closes windows, too."""
    station = Station(tmp_path, COUNT)
    opened.append(station)
    found = counts(station.deliver(air=[1, 2, 3]))
    for _ in range(4):
        found += counts(station.beat(10.1))
        with pytest.MonkeyPatch.context() as patch:
            if killed:
                patch.setattr(SilenceNote, "keep", lambda *_, **__: None)
            station.stop()
        station.start()
        found += counts(station.deliver())
    found += counts(station.beat(0))
    assert found == [3]


def test_what_was_heard_since_ends_a_silence_that_was_noted(tmp_path: Path, opened: list[Station]) -> None:
    """An engine that is killed may leave an older note."""
    station = Station(tmp_path, COUNT)
    opened.append(station)
    station.deliver(air=[1, 2, 3])
    station.beat(29)
    note = (tmp_path / "state/silence.json").read_text()
    station.deliver(air=[4])
    station.stop()
    (tmp_path / "state/silence.json").write_text(note)
    station.start()
    station.deliver()
    assert counts(station.beat(29)) == []


def test_a_long_silence_needs_little_space(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, "SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, batch, 1h)")
    opened.append(station)
    station.deliver(air=[1])
    station.submit("SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, hopping, 1h, 10s)", "often")
    station.beat(40)
    station.deliver(air=[14, 15])
    for _ in range(20):
        assert station.beat(20) or station.watermarks["air"] == 15
    assert len(list((tmp_path / "var/archive/advances").iterdir())) == 2


def test_a_batch_that_takes_long_makes_nothing_late(tmp_path: Path, opened: list[Station]) -> None:
    """However long the records of one stream are read: those of the other come in time, and are in the next batch."""
    station = Station(tmp_path, PAIRS)
    opened.append(station)
    with station.idleness.delivery():
        station.deliver(air=[1], door=[1])
        station.clock.seconds += 20
    with station.idleness.delivery():
        station.clock.seconds += 3600
        station.deliver(air=list(range(2, 14)))
    with station.idleness.delivery():
        found = station.deliver(door=list(range(2, 14)))
    assert [row["x"] for row in found["q0"]] == list(range(1, 13))
    assert station.flow.progress.streams["door"].late == 0


def test_without_an_archive_another_engine_goes_on_where_time_had_moved(tmp_path: Path, opened: list[Station]) -> None:
    """Nothing of the first one is held when it is closed."""
    station = Station(tmp_path, COUNT, archive=False)
    opened.append(station)
    for second, found in ((1, [1]), (21, [1])):
        station.deliver(air=[second])
        assert counts(station.beat(41)) == found
        station.stop()
        station.start()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_rows_of_a_first_batch_that_was_not_finished_are_taken_back(
    elsewhere: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stood in the file before stays."""
    out = tmp_path / "rows.jsonl"
    out.write_text('{"earlier": 1}\n')
    stream = {"event_type": "<urn:E>", "time": {"attribute": "t"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
    project = Project.parse({"streams": {"air": stream}, "archive": {"enabled": False}}, root=tmp_path)
    times = [(START + timedelta(seconds=s)).isoformat() for s in (1, 2, 30)]
    records = {"air": RawBatch(raw_table([{"t": t, "x": 1} for t in times]))}

    def begun() -> CheckpointedFlow:
        flow = CheckpointedFlow(project, tmp_path / "state", (JsonLinesSink(out),), None)
        flow.queries.submit(project.registrations(COUNT, "q"))
        return flow

    killed = begun()
    with monkeypatch.context() as failing:
        failing.setattr(OperatorSnapshots, "write", _refuse)
        with pytest.raises(OSError, match="killed"):
            killed.run(1, records)
    assert len(out.read_text().splitlines()) == 2
    flow = begun() if elsewhere else killed
    flow.run(1, records)
    assert [json.loads(line).get("n") for line in out.read_text().splitlines()] == [None, 2]
    assert flow.progress.streams["air"].events == 3
    flow.close()
    killed.close()


def _refuse(*_: object) -> None:
    raise OSError("killed")


JAMS = """
CREATE CONTEXTS road (clear DEFAULT, jam);
INITIATE CONTEXT jam FROM (?e, air) IN CONTEXT clear WHERE { FILTER (?e.x % 10 = 2) };
TERMINATE CONTEXT jam FROM (?e, air) IN CONTEXT jam WHERE { FILTER (?e.x % 10 = 6) };
SELECT ?e.x FROM (?e, air) IN CONTEXT jam
"""
JAMMED = [x for x in range(40) if x % 10 in (3, 4, 5, 6)]


def jammed(found: dict[str, list[dict[str, Any]]]) -> list[int]:
    return [row["x"] for row in found.get("q0", [])]


@pytest.mark.parametrize("lost", [False, True])
def test_contexts_go_on_over_restarts(lost: bool, tmp_path: Path, opened: list[Station]) -> None:
    """Also from the log alone, where the snapshots are lost."""
    station = Station(tmp_path, JAMS, air={"lateness": "2s"})
    opened.append(station)
    got = []
    for first in range(1, 40, 13):
        got += jammed(station.deliver(air=range(first, first + 13)))
        station.stop()
        for snapshot in (tmp_path / "state").rglob("*.snapshot") if lost else ():
            snapshot.unlink()
        station.start()
    got += jammed(station.deliver(air=[41]))
    for _ in range(100):
        if not station.flow.queries.backfilled:
            break
        time.sleep(0.1)
        got += jammed(station.deliver())
    assert got == JAMMED


def test_a_deriving_query_that_goes_leaves_its_windows_open(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, JAMS)
    opened.append(station)
    got = jammed(station.deliver(air=[1, 2, 3, 4]))
    station.flow.queries.withdraw("road.jam.terminate", station.flow.dataflow)
    got += jammed(station.deliver(air=range(5, 11)))
    declared, _, terminating, _ = JAMS.split(";")
    station.submit(f"{declared}; {terminating}", "late")
    got += jammed(station.deliver(air=range(11, 20))) + jammed(station.deliver(air=range(20, 30)))
    assert got == [*range(3, 17), 23, 24, 25, 26]
    for label in tuple(station.flow.dataflow.flows):
        station.flow.queries.withdraw(label, station.flow.dataflow)
    station.deliver(air=[31])
    assert not station.flow.dataflow.queries.contexts, "nobody speaks of them any more"


def test_who_comes_when_all_deriving_queries_have_gone_changes_contexts(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, JAMS)
    opened.append(station)
    got = jammed(station.deliver(air=range(1, 10)))
    for label in ("road.jam.initiate", "road.jam.terminate"):
        station.flow.queries.withdraw(label, station.flow.dataflow)
    got += jammed(station.deliver(air=range(10, 20)))
    declared, initiating, terminating, _ = JAMS.split(";")
    station.submit(f"{declared}; {initiating}; {terminating}", "again")
    for first in (20, 30):
        got += jammed(station.deliver(air=range(first, first + 10)))
    assert got == [x for x in JAMMED if not 10 <= x < 20]


def test_with_a_deriving_query_those_in_its_contexts_are_parked(
    tmp_path: Path, opened: list[Station], monkeypatch: pytest.MonkeyPatch
) -> None:
    station, pieces = Station(tmp_path, JAMS), QueryRuntime.pieces
    opened.append(station)
    got = jammed(station.deliver(air=[1, 2, 3, 4]))

    def broken(flow: QueryRuntime, *given: Any) -> Iterator[pa.Table]:
        if flow.registration.label == "road.jam.terminate":
            raise ValueError("broken")
        yield from pieces(flow, *given)

    monkeypatch.setattr(QueryRuntime, "pieces", broken)
    got += jammed(station.deliver(air=[5, 6, 7, 8]))
    assert got == [3]
    causes = {parked.label: parked.cause for parked in station.flow.queries.parked}
    assert set(causes) == {"road.jam.initiate", "road.jam.terminate", "q0"}
    assert causes["q0"] is not None
    monkeypatch.setattr(QueryRuntime, "pieces", pieces)
    assert set(station.flow.queries.resume("road.jam.terminate")) == set(causes)
    for first in range(9, 40, 4):
        time.sleep(0.1)
        got += jammed(station.deliver(air=range(first, first + 4)))
    while station.flow.queries.backfilled:
        time.sleep(0.1)
        got += jammed(station.deliver())
    assert got + jammed(station.deliver(air=[41])) == JAMMED


@pytest.mark.parametrize("lost", [False, True])
def test_what_rules_did_is_counted_over_restarts(lost: bool, tmp_path: Path, opened: list[Station]) -> None:
    """Of a rule that emits events; the queries over them count as ever."""
    rule = "CREATE RULE warn ON air IF (?row.x % 2 = 0) DO EMIT even(?row.x AS x), EMIT any(?row.x AS x)"
    station = Station(tmp_path, f"{rule}; SELECT ?e.x FROM (?e, even)", air={"lateness": "0s"})
    opened.append(station)
    for first in (1, 11):
        station.deliver(air=range(first, first + 10))
        station.stop()
        for snapshot in (tmp_path / "state").rglob("*.snapshot") if lost else ():
            snapshot.unlink()
        station.start()
    station.deliver(air=[30, 33])
    progress = station.flow.progress
    assert progress.rules == {"warn": {"events emitted": 22}}
    assert progress.matches["q0"] == 11


def test_calls_that_the_end_of_streams_would_make_are_not_counted(tmp_path: Path) -> None:
    """Nobody makes them, until a batch brings their rows; the rows are reported."""
    asked = living.project(tmp_path, archive=True, actions={"ops": {"command": ["true"]}})
    rules = """CREATE QUERY overdue AS SELECT ?e.sensor FROM (?e, air) SEQ (?e, AFTER 1h);
    CREATE RULE tell ON overdue DO CALL ops(?row.sensor AS sensor);
    CREATE RULE now ON air IF (?row.sensor = 's1') DO CALL ops(?row.sensor AS sensor)"""
    with closing(living.archive_of(asked)) as archive:
        flow = CheckpointedFlow(asked, tmp_path / "state", (), archive)
        flow.queries.submit(asked.registrations(rules, "rules"))
        flow.run(1, living.batch(1))
        flow.finish()
        assert flow.progress.matches["overdue"] == 4
        assert flow.progress.rules == {"tell": {"calls": 0}, "now": {"calls": 1}}
        flow.close()
