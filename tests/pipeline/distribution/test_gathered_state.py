"""States from several places in one: of units that become one, of queries that somebody brings; not of shards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from kaicep.pipeline.distribution.gathered_state import gathered, scattered_in, units_to_gather
from kaicep.pipeline.flow import Dataflow
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.sharding.hosted_queries import HostingPlan, StatePlace
from kaicep.pipeline.sharding.hosting_state import HostingState
from kaicep.pipeline.sharding.part_file import write_parts
from kaicep.pipeline.sharding.query_unit import units_of
from kaicep.pipeline.sharding.shard_part import read_state, state_parts
from kaicep.storage import LocalFolder
from support.shards import PROJECT, reading

LAST = "CREATE QUERY {0} AS SELECT ?e.id AS id FROM (?e, {1}) LIMIT 3"
COUNT = "CREATE QUERY busy AS SELECT COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 9s) GROUP BY ?e.car"
READS = "CREATE QUERY reads AS SELECT ?b.n AS n FROM (?b, busy)"
BOTH = "CREATE QUERY both AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, one), (?b, two) WINDOW (?a, ?b, 9s)"


def plan_of(text: str, kept: Mapping[str, str]) -> HostingPlan:
    return HostingPlan("plan", PROJECT, PROJECT.registrations(text, "q"), 2, kept, durable=True)


def after(text: str, *moments: float) -> Dataflow:
    """A data flow that has seen readings of `P`."""
    dataflow = PROJECT.dataflow()
    for registration in PROJECT.registrations(text, "q"):
        dataflow.register(registration)
    rows = pa.Table.from_pylist([reading(f"r{moment}", moment) for moment in moments])
    _ = dataflow.process(live_batch(PROJECT.annotators, {"P": rows})).matches
    return dataflow


def test_a_query_that_is_brought_has_one_shard(tmp_path: Path) -> None:
    folder, plan = LocalFolder(tmp_path), plan_of(COUNT, {"busy": "busy+"})
    (unit,) = units_of(plan.registrations, plan.kept)
    shards = tuple(StatePlace("7.parts", "busy", shard) for shard in range(2))
    before = HostingState("plan", 7, states=(*shards, StatePlace("7.parts", "other", 0)), waiting={"busy": "7.parts"})
    state = gathered(unit, plan, before, folder, {"busy": after(COUNT, 1, 2, 3)})
    other, own = state.states
    assert (other.unit, own.unit, own.shard, state.kept) == ("other", "busy+", 0, {"busy": "busy+"})
    assert own.file.startswith("000000008-")
    assert not state.waiting
    assert [told.label for told in state.told] == ["busy"]
    assert state.told[0].watermark is not None
    dataflow, begun = plan.dataflow(unit.registrations, read_state(folder, own))
    assert not begun
    assert dataflow.flows["busy"].snapshot() == after(COUNT, 1, 2, 3).flows["busy"].snapshot()


def test_states_of_several_units_become_one(tmp_path: Path) -> None:
    """Those of single queries without shards, and of units; each goes on where it was."""
    folder = LocalFolder(tmp_path)
    one, two = LAST.format("one", "P"), LAST.format("two", "P")
    first, second = after(one, 1, 2).flows["one"].snapshot(), after(two, 1).snapshot()
    places = StatePlace("7.parts", "one", 0), StatePlace("7.parts", "two+", 0)
    write_parts(folder, "7.parts", state_parts(places[0], {"": first}) | state_parts(places[1], second))
    before = HostingState("plan", 7, states=places, kept={"two": "two+"})
    plan = plan_of(f"{one};\n{two};\n{BOTH}", before.kept)
    assert not scattered_in(plan, before)
    (unit,) = units_to_gather(plan, before)
    state = gathered(unit, plan, before, folder)
    (place,) = state.states
    assert set(state.kept.values()) == {place.unit}
    assert state.kept.keys() == {"one", "two", "both"}
    again = plan_of(f"{one};\n{two};\n{BOTH}", state.kept)
    dataflow, begun = again.dataflow(unit.registrations, read_state(folder, place))
    assert not begun
    found = {label: flow.snapshot() for label, flow in dataflow.flows.items()}
    assert (found["one"], found["two"]) == (first, after(two, 1).flows["two"].snapshot())
    assert not units_to_gather(again, state)


def test_shards_are_not_put_together() -> None:
    """Their query is told of, and its states are left until somebody brings it."""
    shards = tuple(StatePlace("7.parts", "busy", shard) for shard in range(2))
    before = HostingState("plan", 7, states=shards)
    assert _scattered([COUNT], before) == ()
    assert _scattered([COUNT, READS], before) == ("busy",)
    assert not units_to_gather(plan_of(f"{COUNT};\n{READS}", {}), before)


def _scattered(statements: Sequence[str], state: HostingState) -> tuple[str, ...]:
    return scattered_in(plan_of(";\n".join(statements), {}), state)
