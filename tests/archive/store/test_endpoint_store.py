"""The store behind a SPARQL endpoint: it answers as the one in a folder does, and may be away for a while."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project
from kaicep.archive import Archive, ReadView, open_read_view, verify
from kaicep.archive.sparql import Graph, Solutions, SparqlRequest
from kaicep.archive.store import StoreUnavailableError
from kaicep.archive.store.endpoint import Endpoint, update_url
from kaicep.archive.store.endpoint_store import EndpointStore
from kaicep.archive.store.graphs import graph_of
from kaicep.archive.sync import Lag
from kaicep.errors import ArchiveError, ConfigError
from kaicep.ontology import KnowledgeBase
from kaicep.pipeline.flow.backfill import Backfill
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.planner import Strategy
from support import doors
from support.archives import NINE, STREAM, opened, project, readings, rows
from support.batches import pieces, processed
from support.doors import AGGREGATE, PATTERN, SELECTION, openings
from support.endpoints import clear, free_port, oxigraph

MINUTE = timedelta(minutes=1)
PER_SENSOR = "SELECT ?s (SUM(?f) AS ?sum) { ?e e:sensor ?s ; e:flow ?f } GROUP BY ?s ORDER BY ?s"
START = "start it, or correct endpoint under [archive]"
COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with oxigraph(free_port()) as url:
        yield url


@pytest.fixture
def endpoint(server: str) -> str:
    clear(server)
    return server


@pytest.mark.slow
def test_an_endpoint_answers_what_the_store_in_a_folder_answers(endpoint: str, tmp_path: Path) -> None:
    with opened(tmp_path / "near") as near, opened(tmp_path / "far", endpoint=endpoint) as far:
        for batch in range(3):
            for archive in (near, far):
                archive.append(batch, {STREAM: readings(100, first=100 * batch)})
        assert near.flush()
        assert far.flush()
        assert far.lag == Lag(0, 0)
        assert far.held == near.held
        asked: list[tuple[str, dict[str, Any]]] = [
            (COUNT, {}),
            (PER_SENSOR, {}),
            (PER_SENSOR, {"start": NINE + MINUTE, "end": NINE + 2 * MINUTE}),
            (COUNT, {"start": NINE + MINUTE}),
            ("SELECT ?r { e:s0 e:in ?r }", {}),
            (f"SELECT (COUNT(*) AS ?n) FROM <{graph_of(STREAM, NINE)}> {{ ?e a e:AirflowReport }}", {}),
            ("SELECT (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { ?e a e:AirflowReport } }", {}),
            (PER_SENSOR, {"timeout": 60}),
            (PER_SENSOR, {"cancelled": threading.Event(), "end": NINE + MINUTE}),
        ]
        for text, window in asked:
            assert rows(far, text, **window) == rows(near, text, **window)
        construct = "CONSTRUCT { ?s e:in ?r } WHERE { ?s e:in ?r }"
        assert str(far.query(construct)) == str(near.query(construct))
        assert isinstance(far.query(construct), Graph)
        assert far.query("ASK { e:s0 e:in e:Room1 }") is True
        assert near.store is not None
        assert far.store is not None
        assert far.store.graphs(STREAM, NINE + MINUTE) == near.store.graphs(STREAM, NINE + MINUTE)
        assert sorted(far.store.buckets()) == sorted(near.store.buckets())
        with open_read_view(project(tmp_path / "far", endpoint=endpoint)) as reader:
            assert isinstance(reader, ReadView)
            assert rows(reader, COUNT) == [(300,)]
            assert reader.lag == Lag(0, 0)
    assert not (tmp_path / "far/var/archive/store").exists()


def test_a_query_that_is_wrong_is_explained_as_ever(endpoint: str, tmp_path: Path) -> None:
    with opened(tmp_path / "near") as near, opened(tmp_path / "far", endpoint=endpoint) as far:
        for text in ("SELECT ?x { ?x a", "SELECT ?x {\n ?x foo:bar 1 }", "INSERT DATA { }"):
            with pytest.raises(ArchiveError) as expected:
                near.query(text)
            with pytest.raises(ArchiveError) as found:
                far.query(text)
            assert str(found.value) == str(expected.value)


def test_a_batch_that_comes_again_changes_nothing_and_a_new_process_goes_on(endpoint: str, tmp_path: Path) -> None:
    for start in (0, 1):
        with opened(tmp_path, endpoint=endpoint) as archive:
            for batch in range(start, start + 2):
                archive.append(batch, {STREAM: readings(10, first=10 * batch)})
            assert archive.flush()
            assert rows(archive, COUNT) == [(20 + 10 * start,)]
            quads = archive.quads()
            archive.append(start + 1, {STREAM: readings(10, first=10 * (start + 1))})
            assert archive.flush()
            assert archive.quads() == quads


def test_what_is_too_old_goes_and_that_is_said_first(endpoint: str, tmp_path: Path) -> None:
    with opened(tmp_path, endpoint=endpoint, store_age="1min") as archive:
        archive.append(0, {STREAM: readings(600)})
        archive.flush()
        assert archive.store is not None
        archive.tidy()
        assert archive.store.since == NINE + 9 * MINUTE
        assert rows(archive, COUNT) == [(600,)]
        archive.tidy()
        assert rows(archive, COUNT) == [(60,)]


def test_the_stream_goes_on_while_nobody_answers_and_the_store_catches_up(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}/query"
    with opened(tmp_path, endpoint=url) as archive:
        archive.append(0, {STREAM: readings(10)})
        archive.append(1, {STREAM: readings(10, first=10)})
        assert archive.lag == Lag(2, 20)
        away = f"{url}: the SPARQL endpoint cannot be reached: Connection refused: {START}"
        with pytest.raises(StoreUnavailableError) as error:
            archive.query(COUNT)
        assert str(error.value) == away
        with pytest.raises(StoreUnavailableError) as error:
            archive.flush()
        assert str(error.value) == away
        assert archive.flush(timeout=0.01) is False
        with oxigraph(port):
            assert archive.flush(timeout=60)
            assert rows(archive, COUNT) == [(20,)]
        archive.append(2, {STREAM: readings(10, first=20)})
        assert archive.log.count(STREAM) == 30


def test_an_endpoint_that_has_another_archives_events_is_refused(endpoint: str, tmp_path: Path) -> None:
    with opened(tmp_path / "one", endpoint=endpoint) as archive:
        archive.flush()
    with pytest.raises(ArchiveError) as error:
        opened(tmp_path / "other", endpoint=endpoint)
    assert str(error.value) == (
        f"{endpoint}: the SPARQL endpoint holds the events of another archive: "
        "name another endpoint, or clear this one: the log fills it again"
    )
    clear(endpoint)
    opened(tmp_path / "other", endpoint=endpoint).close()


def test_an_endpoint_that_has_what_the_log_lost_is_refused(endpoint: str, tmp_path: Path) -> None:
    with opened(tmp_path, endpoint=endpoint) as archive:
        archive.append(7, {STREAM: readings(10)})
        archive.flush()
        (segment,) = (tmp_path / "var/archive/log").glob("*/*.parquet")
    segment.unlink()
    with pytest.raises(ArchiveError) as error:
        opened(tmp_path, endpoint=endpoint)
    assert str(error.value) == (
        f"{endpoint}: the SPARQL endpoint holds batch 000000-000000000007, the log none behind None: "
        "clear the endpoint: the log fills it again"
    )


def test_a_size_that_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        project(tmp_path, endpoint="http://h/query", store_size="1GB")
    assert str(error.value) == (
        "project: archive: store_size cannot be kept by an endpoint, whose size nobody outside knows; use store_age: "
        "see docs/project.md"
    )


def test_an_address_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        project(tmp_path, endpoint="localhost:7878")
    assert str(error.value) == (
        "project: archive.endpoint: 'localhost:7878' is no address of a SPARQL endpoint; write one such as "
        '"http://localhost:7878/query": see docs/project.md'
    )


QUERIES = {"selection": SELECTION, "aggregate": AGGREGATE, "pattern": PATTERN}


def _door(endpoint: str, root: Path) -> tuple[Project, Archive]:
    project = doors.project(root, endpoint=endpoint)
    return project, doors.opened(project)


def _caught_up(project: Project, archive: Archive, text: str, strategy: Strategy | None) -> tuple[list[Any], Backfill]:
    live = project.dataflow()
    processed(live, {"door": openings()})
    live.register(Registration(project.compile(text)[-1], "q", NINE + timedelta(hours=1)))
    backfill = Backfill(live, ["q"], archive, upto=archive.last, strategy=strategy, rows=50)
    return [row for piece in pieces(backfill) if "q" in piece for row in piece["q"].to_pylist()], backfill


@pytest.mark.slow
@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_strategies_give_over_an_endpoint_what_replay_gives(endpoint: str, tmp_path: Path, text: str) -> None:
    project, archive = _door(endpoint, tmp_path)
    with archive:
        archive.append(1, {"door": project.annotators["door"].annotate(openings()).events})
        archive.flush()
        expected, _ = _caught_up(project, archive, text, Strategy.REPLAY)
        assert expected
        for strategy in (Strategy.HYBRID, Strategy.REWRITE, None):
            assert _caught_up(project, archive, text, strategy)[0] == expected


@pytest.mark.parametrize("strategy", [Strategy.HYBRID, Strategy.REWRITE])
def test_the_log_answers_what_the_endpoint_does_not_answer_any_more(
    endpoint: str, tmp_path: Path, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, archive = _door(endpoint, tmp_path)
    text = QUERIES["pattern"]
    with archive:
        archive.append(1, {"door": project.annotators["door"].annotate(openings()).events})
        archive.flush()
        expected, _ = _caught_up(project, archive, text, Strategy.REPLAY)
        select, asked = EndpointStore.select, []

        def once(store: EndpointStore, *arguments: Any) -> bytes:
            asked.append(arguments)
            if strategy is Strategy.REWRITE or len(asked) > 2:
                raise StoreUnavailableError("gone")
            return select(store, *arguments)

        monkeypatch.setattr("kaicep.planner.strategies._GRAPHS_AT_ONCE", 1)
        monkeypatch.setattr(EndpointStore, "select", once)
        assert _caught_up(project, archive, text, strategy)[0] == expected
        assert asked


def test_the_planner_takes_the_log_when_the_endpoint_is_away(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, archive = _door(endpoint, tmp_path)
    with archive:
        archive.append(1, {"door": project.annotators["door"].annotate(openings()).events})
        archive.flush()

        def gone(_: EndpointStore) -> str:
            raise StoreUnavailableError("the SPARQL endpoint cannot be reached")

        monkeypatch.setattr("kaicep.planner.strategy_choice._QUICK", 0.0)
        monkeypatch.setattr(EndpointStore, "knowledge_version", property(gone))
        found, backfill = _caught_up(project, archive, QUERIES["selection"], None)
        assert found
        assert str(backfill.choice) == (
            "replay: about 0.00056 s (200 events in 1 segment); the SPARQL endpoint cannot be reached"
        )


def test_an_archive_over_an_endpoint_is_verified(endpoint: str, tmp_path: Path) -> None:
    with opened(tmp_path, endpoint=endpoint) as archive:
        archive.append(0, {STREAM: readings(100)})
        archive.flush()
    settings = project(tmp_path, endpoint=endpoint)
    settings = settings.model_copy(update={"streams": {STREAM: None}})
    health = verify(settings)
    assert (health.lag, health.store_faults) == (Lag(0, 0), ())
    store = EndpointStore(Endpoint(endpoint, update_url(endpoint)), MINUTE, "me", Path())
    graph = graph_of(STREAM, NINE)
    store.endpoint.update(f"DROP GRAPH <{graph}>")
    assert verify(settings).store_faults == (f"<{graph}> has 0 events, the log 60",)


def test_knowledge_with_blank_nodes_stays_connected(endpoint: str) -> None:
    knowledge = KnowledgeBase.of_turtle("@prefix e: <http://e/> . e:a e:has [ e:size 3 ; e:in [ e:b 4 ] ] .", "none")
    store = EndpointStore(Endpoint(endpoint, update_url(endpoint)), MINUTE, "me", Path())
    for _ in range(2):
        store.set_knowledge(knowledge)
    assert store.knowledge_version == knowledge.version
    found = store.answer(
        SparqlRequest("SELECT ?n ?m { e:a e:has ?x . ?x e:size ?n ; e:in ?y . ?y e:b ?m }"), {"e": "http://e/"}
    )
    assert isinstance(found, Solutions)
    assert found.rows == [(3, 4)]
