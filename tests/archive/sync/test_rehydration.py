"""SPARQL about a time that has left the store: its buckets come from the log, and the RDF is the same."""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep.annotator import Annotator
from kaicep.archive import Archive, ReadView, open_read_view
from kaicep.archive.sparql import Graph, Solutions, parse_time_argument
from kaicep.cli import app
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from kaicep.ontology import KnowledgeBase
from support.archives import NINE, PROJECT, SECOND, STREAM, readings
from support.endpoints import free_port, oxigraph
from support.found import ORIGIN, matches
from typer.testing import CliRunner

MINUTE = timedelta(minutes=1)
COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"
COUNT_LATE = "SELECT (COUNT(?e) AS ?n) { ?e kaicep:late true }"
IN_ROOM = "SELECT (COUNT(?e) AS ?n) { ?e e:sensor ?s . ?s e:in e:Room2 }"
MATCHES = "SELECT (COUNT(?m) AS ?n) { ?m a <urn:kaicep:Match> }"
EVERYTHING = """
CONSTRUCT { ?s ?p ?o } { VALUES ?c { e:AirflowReport <urn:kaicep:Match> } ?s a ?c ; ?p ?o }
"""
EARLY: dict[str, Any] = {"start": NINE, "end": NINE + 10 * MINUTE}
KNOWLEDGE = "@prefix e: <http://e/> . e:s0 e:in e:Room1 . e:s1 e:in e:Room2 . e:s3 e:in e:Room2 ."


LINKED = f"""{PROJECT}
[streams.{STREAM}.attributes]
sensorID = {{ property = "e:sensor", individual = "e:{{}}" }}
flowrate = {{ property = "e:flow", datatype = "xsd:double" }}
"""


def settings(root: Path, **archive: object) -> Settings:
    """Readings of sensors that stand for individuals."""
    return Settings.parse({**tomllib.loads(LINKED), "archive": archive}, root=root)


def opened(root: Path, **archive: object) -> Archive:
    """Ten minutes, a reading a second; one of them late, and every ten seconds what a query finds."""
    knowledge = KnowledgeBase.of_turtle(KNOWLEDGE, reasoner="none")
    known = settings(root, **archive)
    annotator = Annotator(STREAM, known, knowledge)
    made = Archive(known, knowledge, {STREAM: annotator.shape})
    if made.last is None:
        for batch in range(10):
            raw = readings(60, first=60 * batch).select(["sensorID", "flowrate", "timestamp"])
            events = annotator.annotate(raw).events
            late = [batch == 1 and row == 7 for row in range(60)]
            made.append(batch, {STREAM: events.append_column("_late", [late])})
            made.append_matches(batch, [(ORIGIN, matches(range(60 * batch, 60 * batch + 60, 10)))])
        assert made.flush()
    return made


def shrunk(root: Path, **archive: object) -> Archive:
    """The same, of which the store has the last three minutes."""
    made = opened(root, store_age="3min", **archive)
    made.tidy()
    made.tidy()
    assert made.since == NINE + 7 * MINUTE
    return made


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
    with opened(tmp_path_factory.mktemp("whole")) as archive:
        found = triples(archive, **EARLY)
        assert "kaicep:late" in "".join(found)
        yield found


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


def test_a_reader_brings_nothing_back_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shrunk(tmp_path).close()
    with open_read_view(settings(tmp_path)) as reader:
        assert count(reader, **EARLY) == 600
        monkeypatch.setattr("kaicep.archive.sync.rehydration.MOST", 0)
        assert count(reader, **EARLY) == 600
        assert count(reader, start=NINE + MINUTE, end=NINE + 2 * MINUTE, timeout=60) == 60
        with pytest.raises(ArchiveError):
            count(reader, end=NINE + MINUTE)


def test_of_what_the_log_has_dropped_as_well_there_is_nothing(tmp_path: Path) -> None:
    with shrunk(tmp_path, log_age="5min", compact=False) as archive:
        assert [p.batch for p in archive.log.positions()] == [4, 5, 6, 7, 8, 9]
        assert count(archive, **EARLY) == 360
        assert count(archive, start=NINE, end=NINE + MINUTE) == 0


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


def test_the_command_says_what_it_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "kaicep.toml").write_text(LINKED)
    shrunk(tmp_path).close()

    def call(*options: str) -> tuple[int, str, str]:
        found = CliRunner().invoke(app, ["sparql", COUNT, "-p", str(tmp_path), *options])
        return found.exit_code, found.stdout, found.stderr

    window = (
        "the archive's store has events from 2012-05-07T09:07:00Z on; --start brings earlier ones back from the log\n"
    )
    assert call() == (0, '{"n": 180}\n', window)
    assert call("--start", "2012-05-07T09:00Z", "--end", "2012-05-07T11:02+02:00") == (0, '{"n": 120}\n', "")
    assert call("--start", "now - 150s") == (0, '{"n": 180}\n', "")
    first = "the archive's first event is of 2012-05-07T09:00:00Z\n"
    assert call("--start", "2012-05-06") == (0, '{"n": 600}\n', first)
    assert call("--end", "2012-05-07T09:01") == (0, '{"n": 60}\n', "")
    way_out = "write 2021-09-07, 2021-09-07T08:00+08:00, now, or now - 1h"
    assert call("--start", "yesterday") == (1, "", f"TIME: 'yesterday' is no moment: {way_out}\n")
    ends = "the time range ends before it begins: give the earlier moment as start\n"
    assert call("--start", "now", "--end", "now - 1min") == (1, "", ends)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", NINE),
        (" now-1.5 min ", NINE - timedelta(seconds=90)),
        ("now + 2h", NINE + timedelta(hours=2)),
        ("2021-09-07", datetime(2021, 9, 7, tzinfo=UTC)),
        ("2021-09-07T08:00+08:00", datetime(2021, 9, 7, tzinfo=UTC)),
    ],
)
def test_moments_are_written_as_in_queries(text: str, moment: datetime) -> None:
    assert parse_time_argument(text, NINE, "--start") == moment


@pytest.mark.parametrize("text", ["", "now - ", "now 1h", "tomorrow", "2021-13-01", "now - 9999999999 week"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(ArchiveError, match=f"^--start: '{text}' is no moment: write"):
        parse_time_argument(text, NINE, "--start")


def test_without_events_there_is_no_now() -> None:
    with pytest.raises(ArchiveError) as refused:
        parse_time_argument("now", None, "--end")
    assert str(refused.value) == (
        "--end: there are no events, whose newest would be now: name a moment, such as 2021-09-07T08:00Z"
    )


def test_a_moment_without_a_zone_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as archive, pytest.raises(ArchiveError) as refused:
        archive.query(COUNT, start=datetime(2012, 5, 7))  # noqa: DTZ001 - that is the point
    assert str(refused.value) == "start has no zone: give an aware datetime, such as datetime.now(UTC)"


def test_events_lie_in_buckets_that_are_counted_from_the_epoch(tmp_path: Path) -> None:
    old = datetime.fromisoformat("1969-12-31T23:59:30+00:00")
    with shrunk(tmp_path) as archive:
        assert count(archive, start=old) == 600
        assert count(archive, start=old, end=NINE) == 0


def test_graph_finds_the_buckets_of_the_range_only(tmp_path: Path) -> None:
    by_graph = "SELECT (COUNT(?e) AS ?n) { GRAPH ?bucket { ?e a e:AirflowReport } }"
    with shrunk(tmp_path) as archive:
        assert count(archive, by_graph) == 180
        assert count(archive, by_graph, start=NINE + 8 * MINUTE) == 120
        assert count(archive, by_graph, start=NINE + 5 * MINUTE, end=NINE + 8 * MINUTE) == 180


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
