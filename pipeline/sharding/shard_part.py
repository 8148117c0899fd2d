"""What is done where shards are: candidates of all splits in, rows and the state of the shard out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...cep import END_OF_TIME, limit_time
from ...errors import error_fields
from ...planner import BackfillChunk, Watermarks
from ...storage import SharedFolder
from ..flow import Batch, Dataflow, QueryRuntime, joined, seconds_for
from .given_events import GivenEvents
from .hosted_queries import Failures, HostedQueries, HostingPlan, StatePlace
from .hosting_state import PARTS, QueryTold, SetTold
from .identity_part import ReadSplit
from .part_file import Part, PartFile, PartName, write_parts
from .query_unit import QueryUnit

__all__ = [
    "CALLS_OF",
    "ROWS_OF",
    "ShardReport",
    "ShardWork",
    "read_state",
    "shard_part",
    "state_parts",
    "told_of_query",
    "told_of_sets",
]

ROWS_OF, CALLS_OF, _STATE = "rows", "calls", "state"


@dataclass(frozen=True, slots=True)
class ShardWork:
    """Shards that one task answers in one batch.

    Attributes:
        shards: where the state of each is; of none, its unit and number.
        splits: all of the batch.
        dropped: the files that say which events count for nothing, by stream.
        watermarks: of the source streams, after the batch.
        ends: all streams end.
        last: the greatest time stamp of all streams.
        events: how many count; `None`: queries may take as long as they take.
    """

    shards: tuple[StatePlace, ...]
    splits: tuple[ReadSplit, ...]
    dropped: Mapping[str, Sequence[str]]
    watermarks: Watermarks
    ends: bool
    last: datetime | None
    events: int | None = 0


@dataclass(frozen=True, slots=True)
class ShardReport:
    """What the driver is told.

    Attributes:
        file: that has the rows.
        states: where the states are now.
        rows: the parts of the file that are rows of a query, by its label and the shard, and how many they are.
        done: by rule, how much it has done for its rows.
        told: of each query; of one in several shards several times.
        failures: by label, what stopped a query; those of an engine only.
        held: by query of which a match may still grow here, what no `_time` of its rows to come lies below.
        sets: of each set of contexts.
    """

    file: str
    states: tuple[StatePlace, ...]
    rows: Mapping[PartName, int]
    done: Mapping[str, Mapping[str, int]]
    told: tuple[QueryTold, ...]
    failures: Failures
    held: Mapping[str, datetime]
    sets: tuple[SetTold, ...] = ()


def shard_part(queries: HostedQueries, work: ShardWork, folder: SharedFolder, name: str) -> ShardReport:
    """Answer shards, and write their rows and states.

    Args:
        queries: compiled.
        work: the shards.
        folder: which all executors reach.
        name: of the file that is written, and of the one beside it; of each attempt another.

    Raises:
        KaicepError: a query asks for more than its ceilings allow.
    """
    given = GivenEvents(queries, work.shards, work.splits, work.dropped, folder)
    parts: dict[PartName, Part] = {}
    done: dict[str, Mapping[str, int]] = {}
    failures: dict[str, Mapping[str, Any]] = {}
    kept: list[tuple[StatePlace, QueryRuntime | Dataflow]] = []
    for place in work.shards:
        unit = queries.unit(place.unit)
        with queries.isolated(unit, failures):
            live, own = _done(queries, place, (work, given), done, read_state(folder, place))
            parts |= own
            kept.append((StatePlace(name, place.unit, place.shard), live))
            stopped = {flow.registration.label: flow.failure for flow in _flows(live)}
            failures |= {label: error_fields(why) for label, why in stopped.items() if why is not None}
    found = {part: table for part, table in parts.items() if part[0] in (ROWS_OF, CALLS_OF)}
    written = f"{name.removesuffix(PARTS)}.found{PARTS}"
    if found:
        write_parts(folder, written, found, sync=False)  # what they become is durable: see `Checkpoint`
    write_parts(folder, name, {part: content for part, content in parts.items() if part not in found})
    for at, live in kept:
        queries.keep(at, live)
    rows = {part: table.num_rows for part, table in found.items() if isinstance(table, pa.Table)}
    flows = [flow for _, live in kept for flow in _flows(live) if flow.failure is None]
    told = tuple(map(told_of_query, flows))
    sets = tuple(of for _, live in kept if isinstance(live, Dataflow) for of in told_of_sets(live))
    return ShardReport(written, tuple(at for at, _ in kept), rows, done, told, failures, _held(flows), sets)


def _done(
    queries: HostedQueries,
    place: StatePlace,
    of: tuple[ShardWork, GivenEvents],
    done: dict[str, Mapping[str, int]],
    state: dict[str, bytes],
) -> tuple[QueryRuntime | Dataflow, dict[PartName, Part]]:
    """Answer a shard: what answers it from now on, its rows and its state."""
    unit, (work, _) = queries.unit(place.unit), of
    if unit.single:
        flow = queries.single(unit, place, state.get(""))
        with limit_time(_seconds(queries.plan, work.events)):
            parts = _answered(flow, unit, place.shard, *of)
        return flow, parts | state_parts(place, {"": flow.snapshot()})
    dataflow = queries.several(unit, place, state)
    parts = _answer_each_other(dataflow, unit, place.shard, of, done)
    return dataflow, parts | state_parts(place, dataflow.snapshot())


def state_parts(place: StatePlace, state: Mapping[str, bytes]) -> dict[PartName, Part]:
    """A state as parts of a file, for `read_state`.

    Args:
        place: of the shard.
        state: what a snapshot of a data flow has; of a single query what it has itself, under no name.
    """
    return {(_STATE, place.unit, place.shard, key): content for key, content in state.items()}


def _seconds(plan: HostingPlan, events: int | None) -> float | None:
    """How long a query may take for a batch; `None`: as long as it takes."""
    timeout = plan.catalog.settings.engine.query_timeout
    return None if events is None or timeout is None or not plan.durable else seconds_for(events, timeout)


def _flows(live: QueryRuntime | Dataflow) -> Sequence[QueryRuntime]:
    return list(live.flows.values()) if isinstance(live, Dataflow) else [live]


def told_of_query(flow: QueryRuntime) -> QueryTold:
    """What the driver is told of a query."""
    first = flow.row_watermark(END_OF_TIME)
    held = None if first is None or first >= END_OF_TIME else first
    return QueryTold(flow.registration.label, flow.due, flow.ending, flow.watermark, held)


def told_of_sets(dataflow: Dataflow) -> tuple[SetTold, ...]:
    """What it is told of the sets of contexts that queries speak of."""
    sets = dataflow.queries.contexts.items()
    return tuple(SetTold(name, contexts.set.normal, contexts.now, contexts.known) for name, contexts in sets)


def _held(flows: Sequence[QueryRuntime]) -> dict[str, datetime]:
    """By query of which a match may still grow in some shard, what no row to come lies below."""
    held: dict[str, datetime] = {}
    for flow in flows:
        first = flow.row_watermark(END_OF_TIME) or END_OF_TIME
        if first < END_OF_TIME:
            label = flow.registration.label
            held[label] = min(first, held.get(label, first))
    return held


def read_state(folder: SharedFolder, place: StatePlace) -> dict[str, bytes]:
    """The parts of a state, see `state_parts`; empty before the first batch."""
    if not place.file:
        return {}
    with PartFile(folder, place.file) as file:
        names = [part for part in file if part[:3] == (_STATE, place.unit, place.shard)]
        return {str(part[3]): content or b"" for part, content in zip(names, file.contents(names), strict=True)}


def _answered(
    flow: QueryRuntime, unit: QueryUnit, shard: int, work: ShardWork, given: GivenEvents
) -> dict[PartName, Part]:
    if work.ends:
        flow.end_at(work.last)
    watermark = flow.watermark_of(work.watermarks)
    rows = [flow.no_rows, *flow.answered(given.candidates(unit, shard), watermark)]
    found = pa.concat_tables(rows, promote_options="default")
    return {(ROWS_OF, unit.name, shard): found} if found.num_rows else {}


def _answer_each_other(
    dataflow: Dataflow,
    unit: QueryUnit,
    shard: int,
    of: tuple[ShardWork, GivenEvents],
    done: dict[str, Mapping[str, int]],
) -> dict[PartName, Part]:
    work, given = of
    source = {split.stream for split in work.splits}
    for flow in dataflow.flows.values() if work.ends else ():
        flow.end_at(work.last)
    events = {}
    for stream in sorted(unit.streams & source):
        tables = list(given.tables(unit, stream, shard, frozenset([stream])))
        if tables:
            events[stream] = joined(tables)
    result = dataflow.process(Batch(past=BackfillChunk(work.watermarks, events)))
    parts: dict[PartName, Part] = {
        (ROWS_OF, label, shard): rows for label, rows in result.matches.items() if rows.num_rows
    }
    stopped = [label for label, flow in dataflow.flows.items() if flow.failure is not None]
    if result.called:
        called = pa.concat_tables(result.called)
        parts[CALLS_OF, unit.name, shard] = called.filter(
            pc.invert(pc.is_in(called["rule"], pa.array(stopped, pa.string())))
        )
    done |= {rule: of for rule, of in result.done.items() if rule not in stopped}
    return parts
