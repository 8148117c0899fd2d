"""Named graphs: one for each stream or query and bucket."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.archive import Archive
from kaicep.archive.sparql import Solutions
from kaicep.archive.store.graphs import (
    bucket_start,
    graph_of,
    graphs_between,
    graphs_of,
    match_graph_of,
    query_of_graph,
    stream_of_graph,
)
from support.archives import NINE, SECOND, STREAM, TIME, opened
from support.found import COUNT_MATCHES, QUERY, fill_with_matches, flushed_rows

MINUTE = timedelta(minutes=1)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path) as archive:
        yield archive


def test_matches_are_in_graphs_of_their_own(archive: Archive) -> None:
    fill_with_matches(archive)
    graphs = flushed_rows(archive, "SELECT DISTINCT ?g { GRAPH ?g { ?m a kaicep:Match } } ORDER BY ?g")
    assert graphs == [(match_graph_of(QUERY, NINE + n * MINUTE),) for n in range(2)]
    assert archive.store is not None
    assert [stream_of_graph(name) for name in archive.store.buckets()] == [STREAM] * 2
    assert archive.store.graphs(QUERY) == []
    by_query = "SELECT ?q (COUNT(?m) AS ?n) { ?m prov:wasGeneratedBy/prov:used/rdfs:label ?q } GROUP BY ?q"
    assert flushed_rows(archive, by_query) == [(QUERY, 120)]
    for text, expected in ((COUNT_MATCHES, (60,)), (by_query, (QUERY, 60))):
        found = archive.query(text, start=NINE + MINUTE)
        assert isinstance(found, Solutions)
        assert found.rows == [expected]


def test_a_graph_says_what_it_holds() -> None:
    name = match_graph_of("é:b", NINE)
    assert (query_of_graph(name), bucket_start(name), stream_of_graph(name)) == ("é:b", NINE, None)
    assert name == "urn:kaicep:matches:%C3%A9%3Ab:2012-05-07T09:00:00Z"


def test_graphs_are_named_by_stream_and_bucket() -> None:
    half = timedelta(milliseconds=500)
    times = pa.array([NINE, NINE + half, NINE + MINUTE], TIME)
    events = pa.table({"_time": times})
    assert graphs_of("a b", events, MINUTE).to_list() == [
        "urn:kaicep:graph:a%20b:2012-05-07T09:00:00Z",
        "urn:kaicep:graph:a%20b:2012-05-07T09:00:00Z",
        "urn:kaicep:graph:a%20b:2012-05-07T09:01:00Z",
    ]
    assert graphs_of(STREAM, events, half).to_list()[1] == f"urn:kaicep:graph:{STREAM}:2012-05-07T09:00:00.500000Z"
    assert graphs_of(STREAM, events.slice(0, 0), MINUTE).to_list() == []
    assert bucket_start(graph_of("a:b", NINE)) == NINE
    assert bucket_start("urn:kaicep:graph:knowledge") is None


@given(st.integers(0, 9), st.integers(-3, 12), st.integers(-3, 12))
def test_a_range_of_graphs_holds_every_event_of_the_range(minute: int, start: int, end: int) -> None:
    name = graph_of(STREAM, NINE + minute * MINUTE)
    low, high = NINE + start * 30 * SECOND, NINE + end * 30 * SECOND
    times = [NINE + minute * MINUTE + s * SECOND for s in range(60)]
    kept = graphs_between([name, "urn:kaicep:graph:knowledge"], MINUTE, low, high)
    if any(low <= t < high for t in times):
        assert name in kept
    assert "urn:kaicep:graph:knowledge" in kept
