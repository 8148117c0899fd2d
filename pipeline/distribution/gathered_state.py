"""States of queries that data flows of the driver bring, or that lie in several places, in the one where tasks look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from uuid import uuid4

from ...storage import SharedFolder
from ..flow import Dataflow, Registration, state_of_query
from ..sharding import (
    PARTS,
    HostingPlan,
    HostingState,
    QueryUnit,
    StatePlace,
    read_state,
    state_parts,
    told_of_query,
    told_of_sets,
    units_of,
    write_parts,
)

__all__ = ["gathered", "scattered_in", "units_to_gather"]


def scattered_in(plan: HostingPlan, state: HostingState) -> tuple[str, ...]:
    """Queries whose states lie in shards that no state is made of, and that are answered with others from now on.

    Args:
        plan: of the queries from now on.
        state: says where the states are.
    """
    apart = {place.unit for place in state.states} - set(state.kept.values())
    together = [unit for unit in units_of(plan.registrations, plan.kept) if not unit.single]
    return tuple(one.label for unit in together for one in unit.registrations if one.label in apart and _is_cut(one))


def _is_cut(registration: Registration) -> bool:
    """Whether a query that is answered by itself has shards that know of events together."""
    (unit,) = units_of([registration])
    return unit.key is not None and not unit.by_event


def units_to_gather(plan: HostingPlan, state: HostingState) -> list[QueryUnit]:
    """The units that are answered from several states, or from one that is not called as they are."""
    found = [unit for unit in units_of(plan.registrations, plan.kept) if not unit.single]
    return [unit for unit in found if _places(unit, state).keys() - {unit.name}]


def gathered(
    unit: QueryUnit,
    plan: HostingPlan,
    state: HostingState,
    folder: SharedFolder,
    brought: Mapping[str, Dataflow] = MappingProxyType({}),
) -> HostingState:
    """Put the state of queries that are answered together into one place.

    Args:
        unit: of the plan.
        plan: of the queries from now on.
        state: says where the states are; those that are scattered are left where they are.
        folder: that has them.
        brought: by label, the data flows in which queries are as they are to go on.

    Returns:
        What the next batch begins with.
    """
    dataflow, _ = plan.dataflow(unit.registrations, {})
    adopted = [*_known(unit, plan, state, folder, brought), *brought.items()]
    for label, _ in adopted:
        dataflow.suspend(label)
    for label, other in adopted:
        dataflow.adopt(label, other)
    place = StatePlace(f"{state.batch + 1:09}-gathered-{uuid4().hex[:12]}{PARTS}", unit.name, 0)
    write_parts(folder, place.file, state_parts(place, dataflow.snapshot()))
    gone = {*_places(unit, state), *brought, unit.name}
    told = {one.label: one for one in state.told} | {n: told_of_query(flow) for n, flow in dataflow.flows.items()}
    sets = {one.name: one for one in state.sets} | {one.name: one for one in told_of_sets(dataflow)}
    return replace(
        state,
        states=(*(known for known in state.states if known.unit not in gone), place),
        told=tuple(told.values()),
        kept={**state.kept, **dict.fromkeys(unit.labels, unit.name)},
        waiting={label: file for label, file in state.waiting.items() if label not in brought},
        sets=tuple(sets.values()),
    )


def _places(unit: QueryUnit, state: HostingState) -> dict[str, list[StatePlace]]:
    """By name of a unit that there was, the states of queries that belong to this one now."""
    names = {state.kept.get(one.label, one.label) for one in unit.registrations}
    cut = {one.label for one in unit.registrations if _is_cut(one)}
    left = cut - set(state.kept.values())
    found: dict[str, list[StatePlace]] = {}
    for place in state.states:
        if place.unit in names - left:
            found.setdefault(place.unit, []).append(place)
    return found


def _known(
    unit: QueryUnit, plan: HostingPlan, state: HostingState, folder: SharedFolder, brought: Mapping[str, Dataflow]
) -> Iterator[tuple[str, Dataflow]]:
    """The queries of a unit that have a state where tasks have left it, each with a data flow that has it."""
    for name, places in _places(unit, state).items():
        own = [one for one in unit.registrations if state.kept.get(one.label, one.label) == name]
        single, lost = name not in state.kept.values(), set[str]()
        shards = []
        for place in places:
            parts = read_state(folder, place)
            dataflow, begun = plan.dataflow(own, state_of_query(name, parts[""]) if single else parts)
            shards.append(dataflow)
            lost |= {one.label for one in begun}
        for one in (one for one in own if one.label not in lost and one.label not in brought):
            for other in shards[1:]:
                shards[0].flows[one.label].join(other.flows[one.label])
            yield one.label, shards[0]
