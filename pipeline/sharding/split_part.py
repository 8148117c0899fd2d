"""What is done where records are read: annotated events, and what each query is given of them, dealt to shards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import AnnotatedBatch
from ...archive.log import plain_table
from ...cep.order import EVENTS
from ...expressions import Ints, frame_of
from ...storage import SharedFolder
from ..flow import QueryRuntime
from ..flow.queries import EventBatch, Selected, shared_batch
from ..sources import UnreadableFile
from .hosted_queries import Failures, HostedQueries
from .part_file import Part, PartName, table_bytes, write_parts
from .query_unit import QueryUnit
from .shard_key import shard_of
from .split_reading import LETTERS, Split, letters_part, read_split

__all__ = ["BEFORE_ROW", "EVENTS_OF", "IDENTITIES", "ROW", "Split", "SplitReport", "split_part"]

ROW = "#row"
"""The place of an event among those of its split."""
BEFORE_ROW = "#greatest"
"""The greatest time stamp before an event in its split."""
IDENTITIES, EVENTS_OF = "identities", "events"
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
        failures: by unit of queries, what stopped one while its PATHs and FILTERs were asked; those of an engine only.
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
    raw, annotated = read_split(queries.plan.catalog, split)
    events = _first_distinct(annotated)
    parts: dict[PartName, Part] = dict(_identities(events, split.stream, queries.plan.shards))
    if queries.plan.durable:
        parts |= _kept(queries, split.stream, events)
        parts[LETTERS, split.stream] = letters_part(raw, annotated.rejected)
    batch = shared_batch(events, partial(queries.apart.queries.filter_graph, split.stream))
    failures: dict[str, Mapping[str, Any]] = {}
    for unit in queries.units:
        if split.stream in unit.streams:
            with queries.isolated(unit, failures):
                parts |= (
                    _of_query(queries, unit, split.stream, batch)
                    if unit.single
                    else _of_several(unit, split.stream, events)
                )
    write_parts(folder, name, parts, sync=False)
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
    )


def _first(rejected: pa.Table) -> list[tuple[int, str]]:
    found = rejected.slice(0, _SHOWN)
    return list(zip(found["row"].to_pylist(), found["reason"].to_pylist(), strict=True))


def _first_distinct(annotated: AnnotatedBatch) -> pa.Table:
    """The events whose identity comes for the first time in the split; the others are duplicates in any case."""
    events = annotated.events
    fresh = frame_of(events, ["_id"])["_id"].is_first_distinct()
    return events if fresh.all() else events.filter(fresh.to_arrow())


def _identities(events: pa.Table, stream: str, shards: int) -> Iterator[tuple[PartName, Part]]:
    """By shard of their identities, what says which events are duplicates or late."""
    frame = frame_of(events, ["_id", "_time"])
    frame = frame.with_columns(
        pl.col("_time").cast(pl.Datetime("us", "UTC")), pl.Series(ROW, np.arange(frame.height, dtype=np.int64))
    ).with_columns(pl.col("_time").cum_max().shift(1).alias(BEFORE_ROW))
    for shard, rows in _dealt(shard_of(frame["_id"], shards)):
        yield (IDENTITIES, stream, shard), table_bytes(frame[rows])


def _kept(queries: HostedQueries, stream: str, events: pa.Table) -> dict[PartName, Part]:
    """The events for the log, if there is one."""
    kept = queries.plan.catalog.settings.archive.enabled and events.num_rows
    return {(EVENTS_OF, stream): table_bytes(plain_table(events))} if kept else {}


def _of_several(unit: QueryUnit, stream: str, events: pa.Table) -> dict[PartName, Part]:
    """All events, for queries that answer each other."""
    return {(unit.name, stream, 0): table_bytes(events.drop_columns("_row"))}


def _of_query(queries: HostedQueries, unit: QueryUnit, stream: str, batch: EventBatch) -> dict[PartName, Part]:
    """The candidates of a query, and the events beside them that it looks at."""
    parts: dict[PartName, Part] = {}
    for variable, found in _candidates(queries.flow(unit), stream, batch).items():
        frame = found if isinstance(found, pl.DataFrame) else frame_of(found, found.column_names)
        for shard, own in _dealt(_shards(frame, unit, variable, queries.plan.shards)):
            parts[unit.name, variable, shard] = table_bytes(frame if len(own) == frame.height else frame[own])
    return parts


def _candidates(flow: QueryRuntime, stream: str, batch: EventBatch) -> Mapping[str, Selected]:
    events = {stream: batch}
    return flow.input.candidates(events if flow.shed is None else flow.shed.left(events))


def _shards(frame: pl.DataFrame, unit: QueryUnit, variable: str, most: int) -> Ints:
    if unit.key is None:
        return np.zeros(frame.height, np.int64)
    name = unit.key.columns.get(variable, "_id") if variable != EVENTS else f"#partition{unit.key.place}"
    return shard_of(frame[name], unit.shards(most))


def _dealt(shards: Ints) -> Iterator[tuple[int, Ints]]:
    """The rows of each shard, in their order."""
    for shard in np.unique(shards).tolist():
        yield shard, np.flatnonzero(shards == shard)
