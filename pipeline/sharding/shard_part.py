"""What is done where shards are: candidates of all splits in, rows and the state of the shard out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import polars as pl
import pyarrow as pa

from ...expressions import frame_of
from ...planner import BackfillChunk, Watermarks
from ...storage import SharedFolder
from ..flow import Batch, Dataflow, QueryRuntime, joined
from .hosted_queries import Failures, HostedQueries, StatePlace
from .hosting_state import QueryTold
from .identity_part import DROPPED, ReadSplit
from .part_file import Part, PartFile, PartName, table_bytes, write_parts
from .query_unit import QueryUnit

__all__ = ["CALLS_OF", "ROWS_OF", "ShardReport", "ShardWork", "shard_part"]

ROWS_OF, CALLS_OF, _STATE = "rows", "calls", "state"
_NONE = pl.Series([], dtype=pl.String)


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
    """

    shards: tuple[StatePlace, ...]
    splits: tuple[ReadSplit, ...]
    dropped: Mapping[str, Sequence[str]]
    watermarks: Watermarks
    ends: bool
    last: datetime | None


@dataclass(frozen=True, slots=True)
class ShardReport:
    """What the driver is told.

    Attributes:
        file: that has the rows.
        states: where the states are now.
        rows: the parts of the file that are rows of a query, by its label and the shard.
        done: by rule, how much it has done for its rows.
        told: of each query; of one in several shards several times.
        failures: by unit, what stopped one; those of an engine only.
    """

    file: str
    states: tuple[StatePlace, ...]
    rows: tuple[PartName, ...]
    done: Mapping[str, Mapping[str, int]]
    told: tuple[QueryTold, ...]
    failures: Failures


def shard_part(queries: HostedQueries, work: ShardWork, folder: SharedFolder, name: str) -> ShardReport:
    """Answer shards, and write their rows and states.

    Args:
        queries: compiled.
        work: the shards.
        folder: which all executors reach.
        name: of the file that is written; of each attempt another.

    Raises:
        KaicepError: a query asks for more than its ceilings allow.
    """
    given = _GivenEvents(work, folder)
    parts: dict[PartName, Part] = {}
    done: dict[str, Mapping[str, int]] = {}
    failures: dict[str, Mapping[str, Any]] = {}
    kept: list[tuple[StatePlace, QueryRuntime | Dataflow]] = []
    for place in work.shards:
        unit = queries.unit(place.unit)
        with queries.isolated(unit, failures):
            live, own = _done(queries, place, given, done, _state(folder, place))
            parts |= own
            kept.append((StatePlace(name, place.unit, place.shard), live))
    write_parts(folder, name, parts)
    for at, live in kept:
        queries.keep(at, live)
    rows = tuple(part for part in parts if part[0] in (ROWS_OF, CALLS_OF))
    told = tuple(_told(flow) for _, live in kept for flow in _flows(live))
    return ShardReport(name, tuple(at for at, _ in kept), rows, done, told, failures)


def _done(
    queries: HostedQueries,
    place: StatePlace,
    given: _GivenEvents,
    done: dict[str, Mapping[str, int]],
    state: dict[str, bytes],
) -> tuple[QueryRuntime | Dataflow, dict[PartName, Part]]:
    """Answer a shard: what answers it from now on, its rows and its state."""
    unit = queries.unit(place.unit)
    if unit.single:
        flow = queries.single(unit, place, state.get(""))
        parts = _answered(flow, unit, place.shard, given)
        parts[_STATE, unit.name, place.shard, ""] = flow.snapshot()
        return flow, parts
    dataflow = queries.several(unit, place, state)
    parts = _answer_each_other(dataflow, unit, given, done)
    parts |= {(_STATE, unit.name, 0, key): content for key, content in dataflow.snapshot().items()}
    return dataflow, parts


def _flows(live: QueryRuntime | Dataflow) -> Sequence[QueryRuntime]:
    return list(live.flows.values()) if isinstance(live, Dataflow) else [live]


def _told(flow: QueryRuntime) -> QueryTold:
    return QueryTold(flow.registration.label, flow.due, flow.ending)


def _state(folder: SharedFolder, place: StatePlace) -> dict[str, bytes]:
    """The parts of a state; empty before the first batch."""
    if not place.file:
        return {}
    with PartFile(folder, place.file) as file:
        names = [part for part in file if part[:3] == (_STATE, place.unit, place.shard)]
        return {str(part[3]): content or b"" for part, content in zip(names, file.contents(names), strict=True)}


class _GivenEvents:
    """What the shards of a task are given of the splits of a batch; each split's file is opened once."""

    def __init__(self, work: ShardWork, folder: SharedFolder) -> None:
        self.work, self._folder = work, folder
        self._shards = {(place.unit, place.shard) for place in work.shards}
        names = [split.file for split in work.splits]
        self._files: dict[str, PartFile] = dict(zip(names, folder.each(self._file, names), strict=True))
        self._gone: dict[tuple[str, int], pl.Series] = {}
        for stream, files in work.dropped.items():
            for found in folder.each(partial(self._dropped, stream), files):
                self._note(stream, found)

    def _file(self, name: str) -> PartFile:
        """The parts of a split, of which those of the task's shards are read together."""
        file = PartFile(self._folder, name)
        file.hold(part for part in file if (part[0], part[-1]) in self._shards)
        return file

    def _dropped(self, stream: str, name: str) -> dict[int, pl.Series]:
        """By split, identities that count for nothing."""
        with PartFile(self._folder, name) as file:
            parts = [part for part in file if part[:2] == (DROPPED, stream)]
            tables = file.tables(parts)
        ids = (_NONE if table is None else frame_of(table, ["_id"])["_id"] for table in tables)
        return dict(zip((int(part[2]) for part in parts), ids, strict=True))

    def _note(self, stream: str, dropped: Mapping[int, pl.Series]) -> None:
        for place, ids in dropped.items():
            known = self._gone.get((stream, place))
            self._gone[stream, place] = ids if known is None else pl.concat([known, ids])

    def tables(self, unit: QueryUnit, name: str, shard: int, streams: frozenset[str]) -> Iterator[pa.Table]:
        """The parts of a name in all splits, without the events that count for nothing."""
        for split in self.work.splits:
            if split.stream not in streams:
                continue
            table = self._files[split.file].table((unit.name, name, shard))
            if table is not None:
                gone = self._gone.get((split.stream, split.place))
                if gone is not None:  # in a split each identity stands once
                    table = table.filter((~frame_of(table, ["_id"])["_id"].is_in(gone.implode())).to_arrow())
                yield table


def _answered(flow: QueryRuntime, unit: QueryUnit, shard: int, given: _GivenEvents) -> dict[PartName, Part]:
    work = given.work
    if work.ends:
        flow.end_at(work.last)
    candidates = {}
    for name in flow.input.names:
        tables = list(given.tables(unit, name, shard, unit.streams))
        frames = [frame_of(table, table.column_names) for table in tables]
        if frames:
            alike = all(frame.schema == frames[0].schema for frame in frames)
            candidates[name] = pl.concat(frames, how="vertical" if alike else "vertical_relaxed")
    watermark = flow.watermark_of(work.watermarks)
    rows = [flow.no_rows, *flow.answered(candidates, watermark)]
    found = pa.concat_tables(rows, promote_options="default")
    return {(ROWS_OF, unit.name, shard): table_bytes(found)} if found.num_rows else {}


def _answer_each_other(
    dataflow: Dataflow, unit: QueryUnit, given: _GivenEvents, done: dict[str, Mapping[str, int]]
) -> dict[PartName, Part]:
    work, source = given.work, {split.stream for split in given.work.splits}
    for flow in dataflow.flows.values() if work.ends else ():
        flow.end_at(work.last)
    events = {}
    for stream in sorted(unit.streams & source):
        tables = list(given.tables(unit, stream, 0, frozenset([stream])))
        if tables:
            events[stream] = joined(tables)
    result = dataflow.process(Batch(past=BackfillChunk(work.watermarks, events)))
    parts: dict[PartName, Part] = {
        (ROWS_OF, label, 0): table_bytes(rows) for label, rows in result.matches.items() if rows.num_rows
    }
    if result.called:
        parts[CALLS_OF, unit.name, 0] = table_bytes(pa.concat_tables(result.called))
    done |= result.done
    return parts
