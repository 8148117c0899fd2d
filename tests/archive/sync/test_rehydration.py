"""SPARQL about a time that has left the store: its buckets come from the log, and the RDF is the same."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep.archive import Archive, ReadView, open_read_view
from kaicep.archive.sparql import Graph, Solutions
from kaicep.errors import ArchiveError
from support.archives import NINE, SECOND, STREAM, opened
from support.endpoints import free_port, oxigraph
from support.found import (
    COUNT_MATCHES,
    EVENTS_OF_A_MATCH,
    event,
    fill_with_matches,
    flushed_rows,
)
from support.linked_archives import filled, settings, shrunk

MINUTE = timedelta(minutes=1)
COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"
COUNT_LATE = "SELECT (COUNT(?e) AS ?n) { ?e kaicep:late true }"
IN_ROOM = "SELECT (COUNT(?e) AS ?n) { ?e e:sensor ?s . ?s e:in e:Room2 }"
MATCHES = "SELECT (COUNT(?m) AS ?n) { ?m a <urn:kaicep:Match> }"
EVERYTHING = """
CONSTRUCT { ?s ?p ?o } { VALUES ?c { e:AirflowReport <urn:kaicep:Match> } ?s a ?c ; ?p ?o }
"""
EARLY: dict[str, Any] = {"start": NINE, "end": NINE + 10 * MINUTE}


def count(archive: Any, text: str = COUNT, **window: Any) -> int:
    found = archive.query(text, **window)
    assert isinstance(found, Solutions)
    value = found.rows[0][0]
    assert isinstance(value, int)
    return value


def triples(archive: Any, **window: Any) -> list[str]:
    found = archive.query(EVERYTHING, **window)
    assert isinstance(found, Graph)
    return sorted(found.turtle.splitlines())


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The RDF of a store that has everything."""
    with filled(tmp_path_factory.mktemp("whole")) as archive:
        found = triples(archive, **EARLY)
        assert "kaicep:late" in "".join(found)
        yield found


@pytest.mark.slow
def test_the_buckets_of_a_time_range_come_from_the_log_as_they_were(tmp_path: Path, before: list[str]) -> None:
    with shrunk(tmp_path) as archive:
        assert count(archive) == 180
        assert count(archive, **EARLY) == 600
        assert (count(archive, MATCHES), count(archive, MATCHES, **EARLY)) == (18, 60)
        assert triples(archive, **EARLY) == before
        assert count(archive, start=NINE + MINUTE, end=NINE + 2 * MINUTE) == 60
        assert count(archive, end=NINE + MINUTE / 2) == 60
        assert count(archive, start=NINE + 6.5 * MINUTE) == 240
        assert count(archive, start=NINE + 7 * MINUTE) == 180
        assert count(archive, IN_ROOM, end=NINE + MINUTE) == 30
        assert count(archive) == 180
        assert list((tmp_path / "var/archive/snapshots").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("engine_runs", [True, False])
def test_a_reader_gets_them_too(tmp_path: Path, before: list[str], engine_runs: bool) -> None:
    archive = shrunk(tmp_path)
    if not engine_runs:
        archive.close()
    with open_read_view(settings(tmp_path)) as reader:
        assert isinstance(reader, ReadView)
        assert reader.since == NINE + 7 * MINUTE
        assert count(reader) == 180
        assert triples(reader, **EARLY) == before
        assert count(reader, IN_ROOM, start=NINE, end=NINE + MINUTE) == 30
        assert count(reader, start=NINE + 9 * MINUTE) == 60
    archive.close()


@pytest.mark.slow
def test_a_reader_brings_nothing_back_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shrunk(tmp_path).close()
    with open_read_view(settings(tmp_path)) as reader:
        assert count(reader, **EARLY) == 600
        monkeypatch.setattr("kaicep.archive.sync.rehydration.MOST", 0)
        assert count(reader, **EARLY) == 600
        assert count(reader, start=NINE + MINUTE, end=NINE + 2 * MINUTE, timeout=60) == 60
        with pytest.raises(ArchiveError):
            count(reader, end=NINE + MINUTE)


@pytest.mark.slow
def test_of_what_the_log_has_dropped_as_well_there_is_nothing(tmp_path: Path) -> None:
    with shrunk(tmp_path, log_age="5min", compact=False) as archive:
        assert [p.batch for p in archive.log.positions()] == [4, 5, 6, 7, 8, 9]
        assert count(archive, **EARLY) == 360
        assert count(archive, start=NINE, end=NINE + MINUTE) == 0


@pytest.mark.slow
def test_an_endpoint_has_its_time_from_the_log(tmp_path: Path, before: list[str]) -> None:
    with oxigraph(free_port()) as endpoint, shrunk(tmp_path, endpoint=endpoint) as archive:
        assert count(archive) == 180
        assert triples(archive, **EARLY) == before
        assert count(archive, IN_ROOM, end=NINE + MINUTE) == 30
        assert count(archive, start=NINE + 9 * MINUTE) == 60
        by_graph = "SELECT (COUNT(?e) AS ?n) { GRAPH ?bucket { ?e a e:AirflowReport } }"
        assert count(archive, by_graph, start=NINE + 9 * MINUTE) == 60
        with open_read_view(settings(tmp_path, endpoint=endpoint)) as reader:
            assert isinstance(reader, ReadView)
            assert reader.since == NINE + 7 * MINUTE
            assert triples(reader, **EARLY) == before
            assert count(reader, start=NINE + 9 * MINUTE) == 60
            assert count(reader) == 180


@pytest.mark.slow
def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaicep.archive.sync.rehydration.MOST", 100)
    with shrunk(tmp_path, compact=False) as archive:
        with pytest.raises(ArchiveError) as refused:
            archive.query(COUNT, **EARLY)
        assert str(refused.value) == (
            "some 462 events would have to be brought back from the log, and 100 is the most: "
            "ask for a shorter time range; store_age under [archive] says what the store keeps"
        )
        assert count(archive, end=NINE + MINUTE) == 60


@pytest.mark.slow
def test_events_lie_in_buckets_that_are_counted_from_the_epoch(tmp_path: Path) -> None:
    old = datetime.fromisoformat("1969-12-31T23:59:30+00:00")
    with shrunk(tmp_path) as archive:
        assert count(archive, start=old) == 600
        assert count(archive, start=old, end=NINE) == 0


@pytest.mark.slow
def test_graph_finds_the_buckets_of_the_range_only(tmp_path: Path) -> None:
    by_graph = "SELECT (COUNT(?e) AS ?n) { GRAPH ?bucket { ?e a e:AirflowReport } }"
    with shrunk(tmp_path) as archive:
        assert count(archive, by_graph) == 180
        assert count(archive, by_graph, start=NINE + 8 * MINUTE) == 120
        assert count(archive, by_graph, start=NINE + 5 * MINUTE, end=NINE + 8 * MINUTE) == 180


@pytest.mark.slow
def test_an_event_that_came_again_comes_back_as_it_came_first(tmp_path: Path) -> None:
    with shrunk(tmp_path) as made:
        again = made.log.read(STREAM, NINE, NINE + SECOND).drop_columns(["_late"])
        made.append(10, {STREAM: again.append_column("_late", pa.array([True]))})
        assert made.flush()
        for tidied in (False, True):
            if tidied:
                made.tidy()
            assert count(made, COUNT, start=NINE, end=NINE + MINUTE) == 60
            assert count(made, COUNT_LATE, start=NINE, end=NINE + MINUTE) == 0
        assert count(made, COUNT_LATE, start=NINE + MINUTE, end=NINE + 2 * MINUTE) == 1


def test_nobody_waits_longer_than_they_want(tmp_path: Path) -> None:
    given_up = threading.Event()
    given_up.set()
    with shrunk(tmp_path) as archive:
        with pytest.raises(ArchiveError) as late:
            archive.query(COUNT, timeout=0.0, **EARLY)
        assert str(late.value) == "query: no answer within 0 s: ask for a shorter time range, or allow more time"
        with pytest.raises(ArchiveError) as cancelled:
            archive.query(COUNT, cancelled=given_up, **EARLY)
        assert str(cancelled.value) == "query: the query was cancelled: ask again"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def test_what_left_the_store_is_brought_back_with_its_events(tmp_path: Path) -> None:
    with opened(tmp_path, store_age="1min") as archive:
        fill_with_matches(archive, range(3), each=60)
        archive.flush()
        for _ in range(2):
            archive.tidy()
        assert flushed_rows(archive, COUNT_MATCHES) == [(60,)]
        found = archive.query(EVENTS_OF_A_MATCH, start=NINE, end=NINE + MINUTE)
        assert isinstance(found, Solutions)
        assert found.rows == [(event(2), 1.0), (event(3), 1.5)]
