"""What is done where records are read: annotated events, and what each query is given of them, dealt to shards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import AnnotatedBatch
from ...archive.log import plain_table
from ...cep.order import EVENTS
from ...expressions import Ints, frame_of, timestamps
from ...storage import SharedFolder
from ..flow import QueryRuntime
from ..flow.queries import EventBatch, shared_batch
from ..sources import RawBatch, UnreadableFile
from .deals import BEFORE, PLACE, by_shard, dealt_parts, taken
from .hosted_queries import Failures, HostedQueries
from .keys import ShardKey, UnitKey, first_ones, shard_of
from .part_file import Part, PartName, stream_parts
from .query_unit import QueryUnit
from .split_reading import LETTERS, Split, letters_part, read_split

__all__ = ["IDENTITIES", "LOGGED", "MOMENT", "Split", "SplitReport", "of_shard", "split_part"]

IDENTITIES, LOGGED = "identities", "logged"
MOMENT = pl.Datetime("us", "UTC")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class SplitReport:
    """What the driver is told of a split: numbers, and the name of a file.

    Attributes:
        split: which.
        file: of its parts.
        records: how many there were.
        greatest: the greatest time stamp of its events; `None`: it has none.
        duplicates: events whose identity came before in this very split.
        unlinked: values that name no individual.
        unusable: how many records are no events.
        reasons: of a few of these, place and reason.
        malformed: how many of these are no records at all.
        unreadable: the file, if nothing of it was taken.
        failures: by label, what stopped a query while its PATHs and FILTERs were asked; those of an engine only.
        least: the least time stamp of its events; `None`: it has none.
        lag: how far one lies below the greatest before it in the split, at most; nothing where they are in order.
    """

    split: Split
    file: str
    records: int
    greatest: datetime | None
    duplicates: int
    unlinked: int
    unusable: int
    reasons: tuple[str, ...]
    malformed: int = 0
    unreadable: tuple[UnreadableFile, ...] = ()
    failures: Failures = field(default_factory=dict)
    least: datetime | None = None
    lag: timedelta = timedelta()


def split_part(queries: HostedQueries, split: Split, folder: SharedFolder, name: str) -> SplitReport:
    """Read a split, annotate it, and write what all shards are given of it.

    Args:
        queries: compiled.
        split: the records.
        folder: which all executors reach.
        name: of the file that is written; of each attempt another.

    Raises:
        KaicepError: the records cannot be read, or a query cannot be answered.
    """
    raw, annotated = read_split(queries.plan.catalog, split, folder)
    events = _first_ones(annotated, bounded=queries.is_bounded(split.stream))
    failures: dict[str, Mapping[str, Any]] = {}
    stream_parts(folder, name, _written(queries, split.stream, (raw, annotated), events, failures))
    refused = [f"{raw.place(row)}: {why}" for row, why in _first(annotated.rejected)]
    reasons = [*(f"{one.place}: {one.reason}" for one in raw.malformed[:_SHOWN]), *refused][:_SHOWN]
    return SplitReport(
        split,
        name,
        annotated.events.num_rows + annotated.rejected.num_rows + len(raw.malformed),
        pc.max(events["_time"]).as_py(),
        annotated.events.num_rows - events.num_rows,
        annotated.unlinked,
        len(raw.malformed) + annotated.rejected.num_rows,
        tuple(reasons),
        len(raw.malformed),
        raw.unreadable,
        failures,
        pc.min(events["_time"]).as_py(),
        _lag(events),
    )


def _lag(events: pa.Table) -> timedelta:
    """How far an event lies below the greatest time stamp before it, at most."""
    times = timestamps(frame_of(events, ["_time"])["_time"])
    greatest = np.maximum.accumulate(times)
    return timedelta(microseconds=int((greatest - times).max(initial=0)))


def _first(rejected: pa.Table) -> list[tuple[int, str]]:
    found = rejected.slice(0, _SHOWN)
    return list(zip(found["row"].to_pylist(), found["reason"].to_pylist(), strict=True))


def _first_ones(annotated: AnnotatedBatch, *, bounded: bool) -> pa.Table:
    """The events whose identity comes for the first time in the split; the others are duplicates in any case."""
    events = annotated.events
    frame = frame_of(events, ["_id", "_time"])
    fresh = first_ones(frame["_id"], timestamps(frame["_time"]) if bounded else None)
    return events if fresh is None else events.filter(pa.array(fresh))


def _written(
    queries: HostedQueries,
    stream: str,
    read: tuple[RawBatch, AnnotatedBatch],
    events: pa.Table,
    failures: dict[str, Mapping[str, Any]],
) -> Iterator[tuple[PartName, Part]]:
    """All that is written, made part by part; `failures` are known when all of it is."""
    if queries.plan.durable:
        if queries.plan.catalog.settings.archive.enabled and events.num_rows:
            yield (LOGGED, stream), plain_table(events)
        yield (LETTERS, stream), letters_part(read[0], read[1].rejected)
    yield from _parts(queries, stream, events, failures)


def _parts(
    queries: HostedQueries, stream: str, events: pa.Table, failures: dict[str, Mapping[str, Any]]
) -> Iterator[tuple[PartName, Part]]:
    """What shards are given of events."""
    events = events.set_column(events.schema.get_field_index(PLACE), PLACE, pa.array(np.arange(events.num_rows)))
    before = frame_of(events, ["_time"]).select(pl.col("_time").cast(MOMENT).cum_max().shift(1).alias(BEFORE))
    events = events.append_column(BEFORE, before.to_series().to_arrow())
    if queries.identifying(stream) is None:
        yield from _identities(events, stream, queries.plan.shards)
    batch = shared_batch(events.drop_columns(BEFORE), partial(queries.apart.queries.filter_graph, stream))
    units = [unit for unit in queries.units if stream in unit.streams]
    found: dict[tuple[str, str], pl.DataFrame] = {}
    for unit in units:
        if queries.is_lean(unit):
            with queries.isolated(unit, failures):
                candidates = _candidates(queries.flow(unit), stream, batch)
                found |= {(unit.name, variable): frame for variable, frame in candidates.items()}
    for deal in queries.deals.get(stream, ()):
        own = {taker: found[taker] for taker in deal.takers if taker in found}
        yield from dealt_parts(deal, events, own, queries.plan.shards)
    for unit in units:
        with queries.isolated(unit, failures):
            if not unit.single:
                yield from _of_several(unit, stream, events.drop_columns([PLACE, BEFORE]), queries.plan.shards)
            elif not queries.is_lean(unit):
                yield from _of_query(queries, unit, stream, batch)


def _identities(events: pa.Table, stream: str, shards: int) -> Iterator[tuple[PartName, Part]]:
    """By shard of their identities, what says which events are duplicates or late."""
    frame = frame_of(events, ["_id", "_time", PLACE, BEFORE])
    for shard, rows in by_shard(shard_of([frame["_id"]], shards), shards, np.arange(frame.height)):
        yield (IDENTITIES, stream, shard), taken(frame, rows)


def _of_several(unit: QueryUnit, stream: str, events: pa.Table, most: int) -> Iterator[tuple[PartName, Part]]:
    """All events, for queries that answer each other."""
    if not isinstance(unit.key, UnitKey):
        yield (unit.name, stream, 0), events
        return
    frame = frame_of(events, unit.key.columns[stream])
    for shard, rows in by_shard(shard_of(frame.get_columns(), most), most, np.arange(frame.height)):
        yield (unit.name, stream, shard), events.take(pa.array(rows))


def _of_query(
    queries: HostedQueries, unit: QueryUnit, stream: str, batch: EventBatch
) -> Iterator[tuple[PartName, Part]]:
    """The candidates of a query, and the events beside them that it looks at."""
    shards = unit.shards(queries.plan.shards)
    for variable, frame in _candidates(queries.flow(unit), stream, batch).items():
        for shard, rows in by_shard(_shards(frame, unit, variable, shards), shards, np.arange(frame.height)):
            yield (unit.name, variable, shard), taken(frame, rows)


def _candidates(flow: QueryRuntime, stream: str, batch: EventBatch) -> dict[str, pl.DataFrame]:
    events = {stream: batch}
    found = flow.input.candidates(flow.intake.left(events))
    return {
        name: some if isinstance(some, pl.DataFrame) else frame_of(some, some.column_names)
        for name, some in found.items()
    }


def of_shard(frame: pl.DataFrame, unit: QueryUnit, variable: str, shard: int, shards: int) -> pl.DataFrame:
    """The candidates of a single unit that one of its shards is given.

    Args:
        frame: of a variable.
        unit: which has shards.
        variable: or what else an operator is given events as.
        shard: which one.
        shards: how many there are.
    """
    return frame.filter(pl.Series(_shards(frame, unit, variable, shards) == shard))


def _shards(frame: pl.DataFrame, unit: QueryUnit, variable: str, shards: int) -> Ints:
    if not isinstance(unit.key, ShardKey):
        return np.zeros(frame.height, np.int64)
    of = variable.rpartition("?")[2]  # what ends repetitions is named `until 7 ?b`
    name = f"#partition{unit.key.place}" if variable == EVENTS else unit.key.columns[of]
    return shard_of([frame[name]], shards)
