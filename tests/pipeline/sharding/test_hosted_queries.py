"""The queries of a plan in one process: compiled once; states are taken from memory only where they are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kaicep.errors import CeilingError, PipelineError
from kaicep.pipeline.sharding.hosted_queries import HostedQueries, StatePlace, hosted
from kaicep.pipeline.sharding.part_file import PartFile, UnreadablePartError
from kaicep.storage import LocalFolder
from support.sharded import plan_of
from support.shards import FOLLOWS, PROJECT, hosted_of

READ = "CREATE QUERY one AS SELECT ?e.id FROM (?e, P); CREATE QUERY two AS SELECT ?e.id FROM (?e, one)"
BEGIN = StatePlace("", "follows", 0)


def test_a_plan_is_compiled_once() -> None:
    plan = plan_of(PROJECT, FOLLOWS, 2)
    assert hosted(plan) is hosted(plan_of(PROJECT, FOLLOWS, 2))
    assert [(unit.name, shard) for unit, shard in hosted(plan).work] == [("follows", 0), ("follows", 1)]


def test_a_state_in_memory_serves_once_and_for_itself_alone() -> None:
    queries = hosted_of()
    unit, after = queries.unit("follows"), StatePlace("7.parts", "follows", 0)
    flow = queries.single(unit, BEGIN, None)
    state = flow.snapshot()
    queries.keep(after, flow)
    assert queries.single(unit, after, state) is flow
    assert queries.single(unit, after, state) is not flow
    queries.keep(after, flow)
    assert queries.single(unit, StatePlace("8.parts", "follows", 0), state) is not flow
    queries.keep(BEGIN, flow)
    assert queries.single(unit, BEGIN, None) is not flow


def test_queries_that_read_each_other_have_one_state() -> None:
    queries = hosted_of(READ)
    (unit,) = queries.units
    begin, after = StatePlace("", "one", 0), StatePlace("7.parts", "one", 0)
    dataflow = queries.several(unit, begin, {})
    assert list(dataflow.flows) == ["one", "two"]
    state = dataflow.snapshot()
    queries.keep(after, dataflow)
    assert queries.several(unit, after, state) is dataflow
    assert list(queries.several(unit, after, state).flows) == ["one", "two"]


def test_where_queries_come_and_go_identities_stay_where_they_are() -> None:
    """What was seen lies in shards of identities then: by what events are dealt follows from the queries."""
    text = "CREATE QUERY mean AS SELECT AVG(?e.speed) AS mean FROM (?e, P) WINDOW (?e, batch, 3s) GROUP BY ?e.id"
    plan = plan_of(PROJECT, text, 2)
    deal = HostedQueries(plan).identifying("P")
    assert deal is not None
    assert deal.column == "id"
    durable = HostedQueries(replace(plan, durable=True))
    assert durable.identifying("P") is None
    assert [(deal.column, deal.identifies) for deal in durable.deals["P"]] == [("id", False)]


def test_a_state_of_other_queries_is_refused() -> None:
    other = hosted_of(READ.replace("?e.id FROM (?e, P)", "?e.id FROM (?e, P) FILTER (?e.v > 3)"))
    state = other.several(other.units[0], StatePlace("", "one", 0), {}).snapshot()
    queries = hosted_of(READ)
    with pytest.raises(PipelineError, match="the state of one, two is of other queries"):
        queries.several(queries.units[0], StatePlace("7.parts", "one", 0), state)


def test_what_a_unit_fails_with_is_its_own_but_not_what_cannot_be_read(tmp_path: Path) -> None:
    """A disk that is away for a minute parks no query."""
    queries = HostedQueries(replace(plan_of(PROJECT, FOLLOWS, 1), durable=True))
    (unit,) = queries.units
    failures: dict[str, Mapping[str, Any]] = {}
    with queries.isolated(unit, failures):
        raise CeilingError("it asks for too much", hint="ask for less")
    assert [(name, why["error"], why["message"]) for name, why in failures.items()] == [
        ("follows", "CeilingError", "it asks for too much")
    ]
    with pytest.raises(UnreadablePartError), queries.isolated(unit, failures):
        PartFile(LocalFolder(tmp_path), "missing.parts")
    with pytest.raises(OSError, match="away"), queries.isolated(unit, failures):
        raise OSError("the disk is away")
    assert len(failures) == 1
    with pytest.raises(CeilingError), hosted_of().isolated(unit, failures):
        raise CeilingError("it asks for too much")
