"""What a data flow of the driver knows at the end of a batch, where tasks look for it."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from ...storage import SharedFolder
from ..sharding import (
    PARTS,
    HostedQueries,
    HostingPlan,
    HostingState,
    Part,
    PartName,
    StatePlace,
    seen_parts,
    state_parts,
    told_of_query,
    told_together,
    units_of,
    write_parts,
)
from .gathered_state import gathered
from .replayed_flow import ReplayedFlow

__all__ = ["state_of_replay"]


def state_of_replay(made: ReplayedFlow, plan: HostingPlan, number: int, folder: SharedFolder) -> HostingState:
    """Write down what tasks go on from.

    Args:
        made: at the end of a batch.
        plan: of its queries; those that stayed whole have one shard.
        number: of the batch.
        folder: which tasks reach.
    """
    name = f"{number + 1:09}-replayed-{uuid4().hex[:12]}{PARTS}"
    parts: dict[PartName, Part] = {}
    seen: dict[tuple[str, int], str] = {}
    queries = HostedQueries(replace(plan, registrations=()))
    for stream, identities in made.seen.items():
        for shard, part, own in seen_parts(stream, identities, plan.shards if queries.is_bounded(stream) else 1):
            parts[part], seen[stream, shard] = own, name
    units = units_of(plan.registrations, plan.kept, changing=True)
    single = {unit.name for unit in units if unit.single}
    states, told = [], []
    for registration, flows in made.made:
        if registration.label in single:
            for shard, flow in enumerate(flows):
                states.append(StatePlace(name, registration.label, shard))
                parts |= state_parts(states[-1], {"": flow.snapshot()})
                told.append(replace(told_of_query(flow), label=registration.label))
    write_parts(folder, name, parts)
    state = HostingState("", number, made.moments, tuple(states), seen, told_together(told), {}, plan.shards)
    for unit in units:
        if not unit.single:
            state = gathered(unit, plan, state, folder, dict.fromkeys(unit.labels, made))
    return state
