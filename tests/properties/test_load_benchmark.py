"""The load test expects the rows that the engine gives, and finds what is lost or comes twice; a small one does not."""

from __future__ import annotations

import json
from array import array
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.benchmarks.load import Options, bars_of, run
from kaicep.benchmarks.load_checks import Losses, Outage, row_delays, told
from kaicep.benchmarks.load_listening import Heard, Listeners
from kaicep.benchmarks.load_project import HTTP_STREAM, MQTT_STREAM, STREAMS, Workload, write_project


@pytest.mark.slow
def test_it_expects_the_rows_that_the_engine_gives(tmp_path: Path) -> None:
    workload = Workload(1_800_000_000.25, 2_000, 20)
    write_project(tmp_path, port=0, broker=1)
    project = Project.load(tmp_path)
    events = {
        stream: [json.loads(workload.line(stream, n, device=True)) for n in range(workload.total)] for stream in STREAMS
    }
    texts = (tmp_path / "queries.chi").read_text().split(";")
    expected = workload.expected()
    assert min(map(len, expected.values())) >= 5
    for text, (query, wanted) in zip(texts, expected.items(), strict=True):
        assert f"CREATE QUERY {query} " in text
        rows = project.evaluate(text, events)
        found = [tuple(row[name] for name in ("n", "second") if name in row) for row in rows]
        assert len(found) == len(set(found))
        assert set(found) == wanted


def test_what_is_lost_twice_or_foreign_is_found() -> None:
    wanted: set[tuple[int, ...]] = {(1,), (2,), (3,)}
    assert Losses.of(wanted, [(1,), (2,), (3,)], ["a", "b", "c"]).total == 0
    assert Losses.of(wanted, [(1,), (3,)], ["a", "c"]) == Losses(3, 1, 0, 0)
    assert Losses.of(wanted, [(1,), (2,), (3,), (3,)], ["a", "b", "c", "c"]) == Losses(3, 0, 1, 0)
    assert Losses.of(wanted, [(1,), (2,), (3,), (3,)], ["a", "b", "c", "d"]) == Losses(3, 0, 1, 0)
    assert Losses.of(wanted, [(1,), (2,), (3,), (4,)], ["a", "b", "c", "d"]) == Losses(3, 0, 0, 1)


def test_each_reader_has_to_have_each_row() -> None:
    first = Heard("hot", array("L", [0, 1]), array("d", [1.0, 2.0]))
    second = Heard("hot", array("L", [1, 1]), array("d", [1.0, 2.0]))
    listeners = Listeners([first, second], {"a": 0, "b": 1}, [(7,), (8,)])
    assert told(listeners, {"hot": {(7,), (8,)}}) == Losses(4, 1, 1, 0)


def test_rows_of_events_that_were_due_in_an_outage_or_soon_after_are_told_apart() -> None:
    """From the moment at which the event was due: whoever sends late makes the row late."""
    workload = Workload(1000.0, 1, 100.0)
    heard = Heard("hot", array("L", range(4)), array("d", [1010.5, 1035.0, 1044.0, 1061.0]))
    listeners = Listeners([heard], {}, [(10,), (30,), (42,), (60,)])
    calm, every = row_delays(listeners, workload, [Outage("server", 1029.0, 1035.0)], 10.0)
    assert (calm.count, calm.longest) == (2, 1.0)
    assert (every.count, every.longest) == (4, 5.0)


def test_events_are_a_little_out_of_order_and_never_at_one_time() -> None:
    workload = Workload(1_800_000_000.0, 2_500, 2.0)
    stamps = {stream: [workload.micros(stream, n) for n in range(workload.total)] for stream in STREAMS}
    assert not set(stamps[MQTT_STREAM]) & set(stamps[HTTP_STREAM])
    for found in stamps.values():
        assert len(set(found)) == len(found)
        assert found != sorted(found)
    assert workload.number_at(workload.due(5) + 1e-6) == 6
    assert workload.number_at(workload.start - 1) == 0


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.reliability
def test_nothing_is_lost_and_nothing_comes_twice(tmp_path: Path) -> None:
    """How long things take is for a machine that has nothing else to do."""
    options = Options(minutes=0.5, rate=500, readers=20, clients=4, folder=tmp_path)
    timed = ("SPARQL", "event to reader")
    bars = [bar for bar in bars_of(run(options), options.grace) if not bar.what.startswith(timed)]
    assert [bar.line for bar in bars if not bar.passed] == []
