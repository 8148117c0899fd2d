"""What the operator of a query is given of a batch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.cep.order import EVENTS
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.queries.candidates import EventBatch
from kaicep.pipeline.flow.queries.query_input import QueryInput
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sources.memory_source import raw_table

START = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"x": {"datatype": "xsd:integer"}, "y": {"datatype": "xsd:integer"}},
}
PROJECT = Project.parse({"streams": {"air": STREAM}})
_TWO = "SELECT ?a.x FROM (?a, air), (?b, air) FILTER (?a.x > 1) FILTER (?b.y > 1) SEQ (?a {} ?b) WINDOW (?a, ?b, 1min)"


def input_of(text: str) -> QueryInput:
    (query,) = PROJECT.compile(text)
    return QueryRuntime(Registration(query, "q"), PROJECT.shape, PROJECT.knowledge, PROJECT.options).input


@pytest.fixture
def events() -> dict[str, EventBatch]:
    raw = [{"at": (START + timedelta(seconds=n)).isoformat(), "x": n, "y": 3 - n} for n in range(4)]
    batch = live_batch(PROJECT.annotators, {"air": raw_table(raw)})
    return {"air": EventBatch(batch.events["air"].events)}


def test_each_variable_has_its_candidates(events: dict[str, EventBatch]) -> None:
    given = input_of(_TWO.format("->>")).candidates(events)
    assert {variable: len(found) for variable, found in given.items()} == {"a": 2, "b": 2}
    assert input_of(_TWO.format("->>")).candidates({}) == {}


def test_who_asks_for_the_very_next_event_is_given_all_of_them(events: dict[str, EventBatch]) -> None:
    one = input_of(_TWO.format("=>"))
    given = one.candidates(events)
    assert len(given[EVENTS]) == 4
    assert {"x", "y"} <= one.columns["air"]


def test_it_goes_back_to_what_it_had_counted(events: dict[str, EventBatch]) -> None:
    one = input_of(_TWO.format("->>"))
    before = one.mark()
    one.candidates(events)
    assert [[clause.left for clause in of.clauses] for of in one.sources] == [[4, 2], [4, 2]]
    assert [variable.variable for variable in one.profile] == ["a", "b"]
    one.rewind(before)
    assert [[clause.left for clause in of.clauses] for of in one.sources] == [[0, 0], [0, 0]]


def test_events_of_no_context_are_counted_and_not_asked(events: dict[str, EventBatch]) -> None:
    text = "CREATE CONTEXTS mood (calm DEFAULT, busy); SELECT ?e.x IN CONTEXT busy FILTER (?e.x > 1)"
    query = PROJECT.compile(text)[-1]
    flow = QueryRuntime(Registration(query, "q"), PROJECT.shape, PROJECT.knowledge, PROJECT.options)
    flow.input.pass_over(events)
    assert (flow.input.placed, flow.input.unplaced, flow.given) == ((4, 0), 0, (4, 0, 0))
    assert [clause.left for clause in flow.sources[0].clauses] == [4, 0, 0]


def test_those_with_an_unbound_key_are_counted_also_while_no_context_holds() -> None:
    query = PROJECT.compile("CREATE CONTEXTS mood (calm DEFAULT, busy) BY x; SELECT ?e.x IN CONTEXT busy")[-1]
    flow = QueryRuntime(Registration(query, "q"), PROJECT.shape, PROJECT.knowledge, PROJECT.options)
    table = pa.table(
        {"_id": ["1", "2", "3"], "_time": pa.array([1, 2, 3], pa.timestamp("us", "UTC")), "x": [1, None, 2]}
    )
    flow.input.pass_over({query.sources[0].stream.name: EventBatch(table)})
    assert (flow.input.placed, flow.input.unplaced) == ((3, 0), 1)


def test_it_says_under_which_names_it_gives_something() -> None:
    assert input_of(_TWO.format(",")).names == ("a", "b")
    assert input_of(_TWO.format("=>")).names == ("a", "b", EVENTS)
