"""The catalog of a project: what queries are compiled and answered against."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from kaicep import Project, QueryTypeError
from support.living import IN_OFFICES, project, rooms, turtle

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}


def test_queries_are_labelled_by_their_names_else_by_their_document() -> None:
    given = Project.parse({"streams": {"air": STREAM}})
    text = "CREATE QUERY high AS SELECT ?e.x; SELECT ?e.x FROM (?e, high); SELECT ?e.x FROM (?e, air)"
    assert [r.label for r in given.registrations(text, "folder/doc.chi")] == ["high", "doc-2", "doc-3"]
    assert [r.label for r in given.registrations("SELECT ?e.x", "doc.chi")] == ["doc"]


def test_the_output_of_a_query_is_a_stream_of_the_vocabulary() -> None:
    given = Project.parse({"streams": {"air": STREAM}})
    outputs = given.compile("CREATE QUERY high AS SELECT ?e.x AS x", retention=timedelta(hours=1))
    assert set(given.vocabulary(outputs).streams) == {"air", "high"}
    (reader,) = given.compile("SELECT ?h.x FROM (?h, high)", outputs=outputs)
    assert [source.stream.name for source in reader.sources] == ["high"]


def test_a_stream_that_is_not_there_is_named_with_those_that_are() -> None:
    given = Project.parse({"streams": {"air": STREAM}})
    given.check_stream("air")
    with pytest.raises(QueryTypeError) as refused:
        given.check_stream("door")
    assert str(refused.value) == "the project has no stream 'door': its streams: air"


def test_other_knowledge_makes_another_catalog(tmp_path: Path) -> None:
    given = project(tmp_path)
    other = given.with_module(turtle(tmp_path, "more.ttl", rooms(s3="r1")))
    assert other.settings is given.settings
    assert other.judgement.knowledge is other.knowledge is not given.knowledge
    reports = [{"sensor": s, "at": "2026-01-01T00:00:00Z"} for s in ("s1", "s3")]
    assert [row["sensor"] for row in given.evaluate(IN_OFFICES, {"air": reports})] == ["s1"]
    assert [row["sensor"] for row in other.evaluate(IN_OFFICES, {"air": reports})] == ["s1", "s3"]


def test_a_catalog_of_knowledge_that_is_closed(tmp_path: Path) -> None:
    given = project(tmp_path)
    again = Project.of_knowledge(given.settings, given.knowledge)
    assert again.knowledge is given.knowledge
    assert again.annotators.keys() == given.annotators.keys()
    assert again.compile(IN_OFFICES) == given.compile(IN_OFFICES)
