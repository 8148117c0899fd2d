"""Queries that are answered without a data flow around them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
from kaicep import Project
from kaicep.cep import END_OF_TIME
from kaicep.pipeline.flow import live_batch
from kaicep.pipeline.flow.answering import QueryAnswering
from kaicep.pipeline.flow.queries import QueryGraph, QueryIsolation, QueryRuntime
from kaicep.pipeline.sources import raw_table

__all__ = ["PROJECT", "READERS_OF_ONE", "air", "answers", "graph_of"]

START = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
PROJECT = Project.parse({"streams": {"air": STREAM}})
READERS_OF_ONE = """
CREATE QUERY one AS SELECT ?e.x AS x FROM (?e, air) FILTER (?e.x > 1);
CREATE QUERY two AS SELECT ?e.x AS y FROM (?e, one) FILTER (?e.x > 2);
CREATE QUERY other AS SELECT ?e.x AS x FROM (?e, air)
"""


def graph_of(text: str) -> QueryGraph:
    """The queries of a document, registered."""
    queries = QueryGraph()
    for registration in PROJECT.registrations(text, "query"):
        queries.add(QueryRuntime(registration, PROJECT.shape, PROJECT.knowledge, PROJECT.options))
    return queries


def answers(queries: QueryGraph, workers: int = 1) -> list[tuple[str, list[dict[str, int]]]]:
    """The rows of each query for four events and the end, by their first column."""
    answering = QueryAnswering(queries, QueryIsolation(isolated=True), workers)
    found = list(answering.answer({"air": air(4)}, {"air": END_OF_TIME}))
    answering.close()
    return [(one.label, one.rows.select([one.rows.column_names[0]]).to_pylist()) for one in found]


def air(count: int) -> pa.Table:
    """Events of the stream, one a second, that count up from 0."""
    tuples = [{"at": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in range(count)]
    return live_batch(PROJECT.judgement.annotators, {"air": raw_table(tuples)}).events["air"].events
