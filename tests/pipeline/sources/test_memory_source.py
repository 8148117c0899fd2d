"""Dictionaries as raw tuples: what a value becomes does not depend on whether they come from a file."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.annotator import AnnotatedBatch
from kaicep.errors import PipelineError
from kaicep.pipeline.sources.json_source import parse_json_lines
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RecordOrigin

AT = "2026-01-01T00:00:00Z"


def annotated(raw: pa.Table) -> AnnotatedBatch:
    attributes = {"n": {"datatype": "xsd:integer"}, "x": {"datatype": "xsd:double"}, "note": {"datatype": "xsd:string"}}
    stream = {"event_type": "<urn:R>", "time": {"attribute": "t"}, "identity": ["n", "t"], "attributes": attributes}
    return Project.parse({"streams": {"s": stream}}).annotators["s"].annotate(raw)


@pytest.mark.parametrize("name", ["n", "x", "note"])
@pytest.mark.parametrize(
    "values",
    [[5.0, "abc"], [True, 1], [2**60, 0.5], [[1, 2], "abc"], [{"b": 1, "a": 2}, "x"], [None, 5], [1e20, ""]],
)
def test_dictionaries_are_read_as_the_lines_of_a_file(name: str, values: list[object]) -> None:
    tuples = [{"t": AT, name: value} for value in values]
    lines = parse_json_lines(pa.array([json.dumps(row) for row in tuples]), RecordOrigin.of("file"), "t")
    given, read = annotated(raw_table(tuples)), annotated(lines.table)
    assert given.events.to_pylist() == read.events.to_pylist()
    assert given.rejected.to_pylist() == read.rejected.to_pylist()


@pytest.mark.parametrize(
    "values", [[5, 0.5], [5.0, "abc"], [True, 2.5], [1e300, 1], [-0.0, 2**60], [float("inf"), 3.0], [2.0**53, 0.5]]
)
def test_the_text_of_a_value_does_not_depend_on_its_company(values: list[object]) -> None:
    tuples = [{"t": AT, "note": value} for value in values]
    alone = [annotated(raw_table([row])).events["note"].to_pylist()[0] for row in tuples]
    assert annotated(raw_table(tuples)).events["note"].to_pylist() == alone


@pytest.mark.parametrize("values", [[5, 0.5], [[1], [0.5, 2.0]], [-0.0, 2.5]])
def test_undeclared_numbers_do_not_depend_on_their_company(values: list[object]) -> None:
    """The id of an event without identity is a digest of the whole tuple, so these count for it."""
    tuples = [{"t": AT, "other": value} for value in values]
    alone = [annotated(raw_table([row])).events["_extra"].to_pylist()[0] for row in tuples]
    assert annotated(raw_table(tuples)).events["_extra"].to_pylist() == alone


def test_an_odd_value_spoils_only_its_own_tuple() -> None:
    found = annotated(raw_table([{"t": AT, "n": 5.0}, {"t": AT, "n": "abc"}]))
    assert found.events["n"].to_pylist() == [5]
    assert found.rejected.to_pylist() == [{"row": 1, "reason": "n: 'abc' is no xsd:integer"}]


def test_moments_may_stand_beside_texts() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    found = annotated(raw_table([{"t": moment, "n": 1}, {"t": AT, "n": 2}]))
    assert found.events["_time"].to_pylist() == [moment, moment]


@pytest.mark.parametrize(("given", "odd"), [(5, "5"), ([{"t": AT}, None], "None"), ("text", "'t'")])
def test_what_is_neither_a_table_nor_dictionaries_is_refused(given: object, odd: str) -> None:
    with pytest.raises(PipelineError) as caught:
        raw_table(given)
    assert str(caught.value) == f"{odd} is no raw tuple: give a list of dictionaries, or a pyarrow.Table"
