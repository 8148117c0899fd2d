"""Matches of named queries: in the log once, in the store as RDF that names their events."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyoxigraph as ox
import pytest
from kaicep.archive import Archive, backup, restore, verify
from kaicep.archive.matches import MatchLog, Provenance, match_encoder
from kaicep.archive.sparql import Solutions
from kaicep.archive.store.graphs import bucket_start, match_graph_of, query_of_graph, stream_of_graph
from kaicep.archive.sync import Lag, compact_archive
from kaicep.cli import app
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from kaicep.language.nodes.types import ValueType
from support.archives import NINE, PROJECT, SECOND, STREAM, TIME, opened, project, readings, rows
from support.endpoints import clear, free_port, oxigraph
from support.found import ORIGIN, QUERY, event, matches
from typer.testing import CliRunner

COUNT = "SELECT (COUNT(?m) AS ?n) { ?m a kaicep:Match }"
MINUTE = timedelta(minutes=1)
EVENTS_OF = """
SELECT ?event ?flow {
  ?match kaicep:attribute:pairs:flow 1.5e0 ; prov:wasDerivedFrom ?event . ?event e:flow ?flow
} ORDER BY ?event
"""
OF_SENSOR = """
SELECT ?time { ?match prov:wasDerivedFrom/e:sensor "s1" ; prov:generatedAtTime ?time } ORDER BY ?time
"""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def fill(archive: Archive, batches: range = range(3), each: int = 40) -> None:
    """Batches of readings, each with its matches."""
    for batch in batches:
        numbers = range(batch * each, (batch + 1) * each)
        archive.append(batch, {STREAM: readings(each, first=numbers[0])})
        archive.append_matches(batch, [(ORIGIN, matches(numbers))])


def flushed(archive: Archive, text: str) -> list[tuple[object, ...]]:
    assert archive.flush()
    return rows(archive, text)


def quads_of(table: pa.Table, origin: Provenance, folder: Path) -> ox.Store:
    """What the rows are as RDF."""
    log = MatchLog(folder)
    assert log.append(0, [(origin, table)])
    store = ox.Store()
    store.load(
        match_encoder(log.provenance, MINUTE)(origin.query, log.log.read(origin.query)), format=ox.RdfFormat.N_QUADS
    )
    log.close()
    return store


def test_the_rdf_of_a_match(archive: Archive) -> None:
    archive.append(0, {STREAM: readings(4)})
    archive.append_matches(0, [(ORIGIN, matches([3]))])
    match = f"urn:kaicep:event:{QUERY}/{3:032x}"
    found = flushed(archive, f"SELECT ?p ?o {{ <{match}> ?p ?o }} ORDER BY ?p ?o")
    evaluation = f"urn:kaicep:evaluation:{QUERY}/{ORIGIN.digest}"
    own = f"urn:kaicep:attribute:{QUERY}:"
    prov = "http://www.w3.org/ns/prov#"
    a = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    assert found == [
        (a, f"{prov}Entity"),
        (a, "urn:kaicep:Match"),
        (f"{prov}generatedAtTime", NINE + 3 * SECOND),
        (f"{prov}wasDerivedFrom", event(2)),
        (f"{prov}wasDerivedFrom", event(3)),
        (f"{prov}wasGeneratedBy", evaluation),
        (f"{own}flow", 1.5),
        (f"{own}lasts", "-PT4.5S"),
        (f"{own}note", '"3" \\ \n'),
        (f"{own}room", "http://e/Room1"),
        (f"urn:kaicep:variable:{QUERY}:a", event(2)),
        (f"urn:kaicep:variable:{QUERY}:b", event(3)),
    ]
    assert archive.query(f"ASK {{ <{match}> kaicep:attribute:pairs:room e:Room1 }}") is True
    of_evaluation = f"""SELECT ?name ?text ?version {{
        <{evaluation}> a prov:Activity ; prov:used ?query , ?version .
        ?query a kaicep:Query , prov:Entity ; rdfs:label ?name ; kaicep:text ?text . ?version a prov:Entity
        FILTER (?version != ?query) }}"""
    assert flushed(archive, of_evaluation) == [(QUERY, ORIGIN.text, "urn:kaicep:knowledge:v1")]


def test_from_matches_to_events_and_back(archive: Archive) -> None:
    fill(archive, range(1), each=8)
    assert flushed(archive, EVENTS_OF) == [(event(2), 1.0), (event(3), 1.5)]
    assert flushed(archive, OF_SENSOR) == [(NINE + n * SECOND,) for n in (1, 2, 5, 6)]


def test_matches_are_in_graphs_of_their_own(archive: Archive) -> None:
    fill(archive)
    graphs = flushed(archive, "SELECT DISTINCT ?g { GRAPH ?g { ?m a kaicep:Match } } ORDER BY ?g")
    assert graphs == [(match_graph_of(QUERY, NINE + n * MINUTE),) for n in range(2)]
    assert archive.store is not None
    assert [stream_of_graph(name) for name in archive.store.buckets()] == [STREAM] * 2
    assert archive.store.graphs(QUERY) == []
    by_query = "SELECT ?q (COUNT(?m) AS ?n) { ?m prov:wasGeneratedBy/prov:used/rdfs:label ?q } GROUP BY ?q"
    assert flushed(archive, by_query) == [(QUERY, 120)]
    for text, expected in ((COUNT, (60,)), (by_query, (QUERY, 60))):
        found = archive.query(text, start=NINE + MINUTE)
        assert isinstance(found, Solutions)
        assert found.rows == [expected]


def test_a_graph_says_what_it_holds() -> None:
    name = match_graph_of("é:b", NINE)
    assert (query_of_graph(name), bucket_start(name), stream_of_graph(name)) == ("é:b", NINE, None)
    assert name == "urn:kaicep:matches:%C3%A9%3Ab:2012-05-07T09:00:00Z"


def test_windows_lists_and_what_is_unbound(tmp_path: Path) -> None:
    moments, events = pa.struct([("start", TIME), ("end", TIME)]), pa.struct([("e", pa.list_(pa.string()))])
    table = pa.table(
        {
            "levels": pa.array([[1, 2, 2], [], None], pa.list_(pa.int64())),
            "waits": pa.array([[timedelta(seconds=1)], None, None], pa.list_(pa.duration("us"))),
            "_time": pa.array([NINE] * 3, TIME),
            "_events": pa.array([{"e": ["urn:x:1"]}, {"e": None}, {"e": []}], events),
            "_window": pa.array([{"start": NINE, "end": NINE + MINUTE}, None, None], moments),
            "_id": ["1", "2", "3"],
        }
    )
    origin = Provenance("w", "", "", {"levels": ValueType.INTEGER, "waits": ValueType.DURATION})
    store = quads_of(table, origin, tmp_path)
    subject = ox.NamedNode("urn:kaicep:event:w/1")
    found = {(q.predicate.value, str(q.object)) for q in store.quads_for_pattern(subject, None, None)}
    whole = "http://www.w3.org/2001/XMLSchema#"
    assert found >= {
        ("urn:kaicep:attribute:w:levels", f'"1"^^<{whole}integer>'),
        ("urn:kaicep:attribute:w:levels", f'"2"^^<{whole}integer>'),
        ("urn:kaicep:attribute:w:waits", f'"PT1S"^^<{whole}dayTimeDuration>'),
        ("urn:kaicep:windowStart", f'"2012-05-07T09:00:00Z"^^<{whole}dateTime>'),
        ("urn:kaicep:windowEnd", f'"2012-05-07T09:01:00Z"^^<{whole}dateTime>'),
        ("urn:kaicep:variable:w:e", "<urn:x:1>"),
    }
    for other in "23":
        subject = ox.NamedNode(f"urn:kaicep:event:w/{other}")
        assert len(list(store.quads_for_pattern(subject, None, None))) == 4


@pytest.mark.parametrize("text", ["a b", 'x> <y> "z', "a\nb", "back\\slash", "{}"])
def test_what_is_no_iri_becomes_text_and_ends_no_quad(tmp_path: Path, text: str) -> None:
    table = matches([1]).set_column(2, "room", pa.array([text]))
    store = quads_of(table, ORIGIN, tmp_path)
    (found,) = store.quads_for_pattern(None, ox.NamedNode("urn:kaicep:attribute:pairs:room"), None)
    assert found.object == ox.Literal(text)


def test_matches_that_come_again_change_nothing(archive: Archive) -> None:
    for _ in range(2):
        fill(archive)
    assert flushed(archive, COUNT) == [(120,)]
    assert archive.matches.log.count(QUERY) == 120
    quads = archive.quads()
    archive.append_matches(3, [(ORIGIN, matches(range(100, 130)))])
    assert flushed(archive, COUNT) == [(130,)]
    assert archive.matches.log.count(QUERY) == 130
    archive.append_matches(4, [(Provenance(QUERY, "other", "v2", {}), matches(range(130)))])
    assert archive.flush()
    assert archive.matches.log.count(QUERY) == 130
    assert archive.quads() > quads


def test_a_batch_that_finds_others_when_it_comes_again_keeps_both(tmp_path: Path) -> None:
    """What a late query has ready differs from time to time; the rest comes in a later batch."""
    with opened(tmp_path) as archive:
        archive.append_matches(0, [(ORIGIN, matches(range(10)))])
        archive.append_matches(1, [(ORIGIN, matches(range(10, 20)))])
        archive.flush()
    with opened(tmp_path) as archive:
        archive.append_matches(1, [(ORIGIN, matches(range(15, 25)))])
        assert archive.matches.log.count(QUERY) == 25
        archive.append_matches(2, [(ORIGIN, matches(range(10, 30)))])
        assert [archive.matches.log.batch_rows(p) for p in archive.matches.log.positions()] == [10, 15, 5]
        assert flushed(archive, COUNT) == [(30,)]
        assert archive.lag == Lag(0, 0)


def test_what_the_store_lacks_it_gets_when_the_archive_is_opened_again(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        fill(archive, range(2), each=1100)
        assert archive.lag == Lag(0, 0)
    with opened(tmp_path) as archive:
        assert flushed(archive, COUNT) == [(2200,)]
    shutil.rmtree(tmp_path / "var/archive/store")
    with opened(tmp_path) as archive:
        assert flushed(archive, EVENTS_OF) == [(event(2), 1.0), (event(3), 1.5)]
        assert archive.lag == Lag(0, 0, 0)


def test_an_archive_of_before_goes_on(tmp_path: Path) -> None:
    """One of format 2 has no matches; those that are found from now on are kept."""
    with opened(tmp_path) as archive:
        archive.append(0, {STREAM: readings(4)})
        archive.flush()
    (tmp_path / "var/archive/format.json").write_text('{"format": 2}')
    assert not (tmp_path / "var/archive/matches").exists()
    with opened(tmp_path) as archive:
        archive.append(1, {STREAM: readings(4, first=4)})
        archive.append_matches(1, [(ORIGIN, matches(range(4, 8)))])
        assert flushed(archive, COUNT) == [(4,)]
    assert (tmp_path / "var/archive/format.json").read_text() == '{"format": 3}'


def test_matches_are_not_kept_where_nobody_wants_them(tmp_path: Path) -> None:
    with opened(tmp_path, matches=False) as archive:
        fill(archive)
        assert flushed(archive, COUNT) == [(0,)]
        assert archive.matches.log.streams() == ()


def test_old_matches_go_with_old_events(tmp_path: Path) -> None:
    with opened(tmp_path, log_age="2min", store_age="2min", compact=False) as archive:
        fill(archive, range(6), each=60)
        archive.flush()
        for _ in range(2):
            archive.tidy()
        assert [p.batch for p in archive.matches.log.positions()] == [3, 4, 5]
        assert archive.matches.log.positions() == archive.log.positions()
        assert flushed(archive, COUNT) == [(120,)]
        assert flushed(archive, "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }") == [(120,)]
        dangling = "SELECT (COUNT(DISTINCT ?e) AS ?n) { ?m prov:wasDerivedFrom ?e FILTER NOT EXISTS { ?e e:flow ?f } }"
        assert flushed(archive, dangling) == [(1,)]


def test_what_left_the_store_is_brought_back_with_its_events(tmp_path: Path) -> None:
    with opened(tmp_path, store_age="1min") as archive:
        fill(archive, range(3), each=60)
        archive.flush()
        for _ in range(2):
            archive.tidy()
        assert flushed(archive, COUNT) == [(60,)]
        found = archive.query(EVENTS_OF, start=NINE, end=NINE + MINUTE)
        assert isinstance(found, Solutions)
        assert found.rows == [(event(2), 1.0), (event(3), 1.5)]


def test_a_log_that_is_too_large_loses_the_oldest_of_both_kinds(tmp_path: Path) -> None:
    with opened(tmp_path, log_size="0 kB", compact=False) as archive:
        fill(archive, range(3))
        archive.flush()
        archive.tidy()
        assert [p.batch for p in archive.log.positions()] == [2]
        assert [p.batch for p in archive.matches.log.positions()] == [2]


def test_matches_that_the_store_lacks_stay_in_the_log(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        fill(archive)
    with opened(tmp_path, log_age="0s", store=False) as archive:
        assert archive.matches.log.count(QUERY) == 120
        archive.tidy()
        assert [p.batch for p in archive.matches.log.positions()] == [2]


def command(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, [str(a) for a in arguments])
    return found.exit_code, found.stdout, found.stderr


def test_they_are_backed_up_compacted_verified_and_restored(tmp_path: Path) -> None:
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    settings = Settings.load(tmp_path)
    with opened(tmp_path) as archive:
        fill(archive)
        archive.flush()
        assert backup(settings, tmp_path / "copy") == 120
    said = f"{STREAM}: 120 events\n{QUERY}: 120 matches\nlog: 6 segments\nstore: 0 events of 0 batches behind the log\n"
    assert command("verify", tmp_path) == (0, said, "")
    assert (compact_archive(settings).before, compact_archive(settings).before) == (4, 0)
    assert verify(settings).matches == {QUERY: 120}
    shutil.rmtree(tmp_path / "var")
    restore(settings, tmp_path / "copy")
    assert command("verify", tmp_path) == (0, said, "")
    shutil.rmtree(tmp_path / "var/archive/store")
    with opened(tmp_path) as archive:
        assert flushed(archive, COUNT) == [(120,)]
    with opened(tmp_path, store=False) as archive:
        fill(archive, range(3, 5))
    assert verify(settings).lag == Lag(2, 80, 80)
    assert "store: 80 events and 80 matches of 2 batches behind the log" in command("verify", tmp_path)[1]
    assert command("sparql", COUNT, "-p", tmp_path, "--format", "csv") == (
        0,
        "n\n120\n",
        "the archive's store lacks the latest 80 events and 80 matches: an engine adds them while it runs\n",
    )


def test_faults_of_matches_are_named(tmp_path: Path) -> None:
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    with opened(tmp_path) as archive:
        fill(archive)
        archive.flush()
    store = ox.Store(tmp_path / "var/archive/store")
    graph = match_graph_of(QUERY, NINE)
    store.remove_graph(ox.NamedNode(graph))
    store.flush()
    del store
    code, _, wrong = command("verify", tmp_path)
    assert (code, wrong.splitlines()[0]) == (3, f"<{graph}> has 0 matches, the log 60")
    (lost,) = (tmp_path / "var/archive/origins").iterdir()
    lost.unlink()
    code, _, wrong = command("verify", tmp_path)
    said = f"[Errno 2] No such file or directory: '{lost}'"
    assert (code, wrong) == (1, f"{lost}: what matches come from cannot be read: {said}: restore it from a backup\n")


def test_an_origin_that_cannot_be_kept_keeps_no_match(tmp_path: Path) -> None:
    log = MatchLog(tmp_path)
    (tmp_path / "origins").write_text("in the way")
    with pytest.raises(ArchiveError) as error:
        log.append(0, [(ORIGIN, matches([1]))])
    place = tmp_path / "origins" / f"{ORIGIN.digest}.json"
    assert str(error.value) == (
        f"{place}: cannot write what a query's matches come from: File exists: "
        "free some space or choose another path under [archive]"
    )
    assert log.log.positions() == []
    log.close()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with oxigraph(free_port()) as url:
        yield url


def test_an_endpoint_holds_them_as_the_store_in_a_folder_does(server: str, tmp_path: Path) -> None:
    clear(server)
    with opened(tmp_path / "near") as near, opened(tmp_path / "far", endpoint=server) as far:
        for archive in (near, far, far):
            fill(archive)
        every = "SELECT ?g ?m ?p ?o { GRAPH ?g { ?m a kaicep:Match ; ?p ?o } } ORDER BY ?g ?m ?p ?o"
        assert flushed(far, every) == flushed(near, every)
        for text in (COUNT, EVENTS_OF, OF_SENSOR):
            assert flushed(far, text) == flushed(near, text)
        assert far.lag == Lag(0, 0)
    settings = project(tmp_path / "far", endpoint=server)
    assert verify(settings).store_faults == ()
    clear(server)
    with opened(tmp_path / "far", endpoint=server, store_age="1s") as far:
        assert flushed(far, COUNT) == [(120,)]
        for _ in range(2):
            far.tidy()
        assert flushed(far, COUNT) == [(60,)]
