"""A blow-up ends the query that causes it, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from kaicep import Project
from kaicep.cep import build_operator
from kaicep.cep.nfa import Limits
from kaicep.errors import CeilingError
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.query_runtime import Registration
from support.batches import processed
from support.operators import Reading, compiled, feed

ANY = "SELECT COUNT(?b) AS n FROM (?a, readings), (?b, readings), (?c, readings)"
FILTERS = "FILTER (?a.n = 1) FILTER (?b.n = 2) FILTER (?c.n = 3)"
SUBSETS = f"{ANY} {FILTERS} SEQ (?a, ?b+, ?c) WINDOW (?a, ?b, ?c, 1h)"


def readings(kinds: str) -> list[Reading]:
    return [{"id": f"e{i:04}", "t": i, "n": "abc".index(kind) + 1} for i, kind in enumerate(kinds)]


def test_more_matches_than_the_ceiling_are_an_error() -> None:
    query = compiled(SUBSETS)
    operator = build_operator(query, limits=Limits(matches_per_event=1000))
    with pytest.raises(CeilingError) as caught:
        feed(operator, query, readings("a" + "b" * 10 + "c"))
    assert str(caught.value) == (
        "more than 1000 matches became true with one event: bound the pattern: a shorter WINDOW, a JOIN, a maximum "
        "{m,n}, POLICY next or AFTER MATCH with it; or raise matches_per_event in [engine]"
    )


def test_more_runs_than_the_ceiling_are_an_error() -> None:
    query = compiled(SUBSETS)
    operator = build_operator(query, limits=Limits(runs_per_partition=20))
    with pytest.raises(CeilingError) as caught:
        feed(operator, query, readings("a" * 30))
    assert str(caught.value) == (
        "more than 20 runs are under way in one partition: bound the pattern: a shorter WINDOW, a JOIN of equal "
        "attributes, PARTITION BY, a maximum {m,n} or POLICY next; or raise runs_per_partition in [engine]"
    )


STREAM = {
    "event_type": "<urn:Reading>",
    "time": {"attribute": "at"},
    "attributes": {"kind": {"datatype": "xsd:string"}},
}
PROJECT = {"streams": {"readings": STREAM}, "engine": {"matches_per_event": 50}}
DOCUMENT = """
CREATE QUERY large AS SELECT COUNT(?b) AS n FROM (?a, readings), (?b, readings)
  FILTER (?a.kind = 'a') FILTER (?b.kind = 'b') SEQ (?a, ?b+) WINDOW (?a, ?b, 1h);
SELECT ?e.kind AS kind FROM (?e, readings)
"""


def fed(dataflow: Dataflow, kinds: str, begin: int) -> Mapping[str, Any]:
    first = datetime(2012, 5, 4, tzinfo=UTC)
    raw = [{"at": (first + timedelta(seconds=begin + i)).isoformat(), "kind": k} for i, k in enumerate(kinds)]
    return processed(dataflow, {"readings": raw}).matches


def test_a_query_that_is_stopped_does_not_stop_the_others() -> None:
    project = Project.parse(PROJECT)
    dataflow = project.dataflow(isolated=True)
    queries = project.compile(DOCUMENT)
    for label, query in zip(("large", "all"), queries, strict=True):
        dataflow.register(Registration(query, label))
    assert fed(dataflow, "abbb", 0)["large"].num_rows == 3
    rows = fed(dataflow, "bbbbbb", 10)
    assert rows["large"].num_rows == 0
    assert rows["all"].num_rows == 6
    flow = dataflow.flows["large"]
    assert flow.ended
    assert flow.failure is not None
    assert flow.failure.startswith("more than 50 matches became true with one event: ")
    again = project.dataflow(isolated=True)
    assert (
        again.restore(dataflow.snapshot(), [Registration(q, n) for n, q in zip(("large", "all"), queries, strict=True)])
        == []
    )
    assert again.flows["large"].failure == flow.failure
    assert fed(again, "abb", 20)["large"].num_rows == 0


def test_evaluate_raises_the_error() -> None:
    events = [{"at": f"2012-05-04T00:00:{i:02}Z", "kind": "a" if i == 0 else "b"} for i in range(10)]
    with pytest.raises(CeilingError, match="more than 50 matches became true with one event"):
        Project.parse(PROJECT).evaluate(DOCUMENT.partition(";")[0], {"readings": events})
