"""What is done where records are read: annotated events, and what each query is given of them, dealt to shards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import AnnotatedBatch
from ...cep.order import EVENTS
from ...expressions import Ints, frame_of, timestamps
from ...storage import SharedFolder
from ..flow import QueryRuntime
from ..flow.queries import EventBatch, Selected, shared_batch
from ..sources import RecordFile, read_file
from .hosted_queries import HostedQueries
from .keys import ShardKey, UnitKey, shard_of
from .part_file import Part, PartName, table_bytes, write_parts
from .query_unit import QueryUnit
from .repeated_identities import first_ones

__all__ = ["BEFORE_ROW", "IDENTITIES", "ROW", "Split", "SplitReport", "split_part"]

ROW = "#row"
"""The place of an event among those of its split."""
BEFORE_ROW = "#greatest"
"""The greatest time stamp before an event in its split."""
IDENTITIES = "identities"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Split:
    """Records of one stream, read by one task.

    Attributes:
        stream: its name.
        place: where it stands in the stream's order of arrival, among the splits of a batch.
        records: the file, or the object of a bucket; JSON, CSV or Parquet.
    """

    stream: str
    place: int
    records: RecordFile


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
    """

    split: Split
    file: str
    records: int
    greatest: datetime | None
    duplicates: int
    unlinked: int
    unusable: int
    reasons: tuple[str, ...]


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
    catalog = queries.plan.catalog
    raw = read_file(split.records, catalog.settings.streams[split.stream])
    annotated = catalog.annotators[split.stream].annotate(raw.table)
    events = _first_ones(annotated, bounded=queries.is_bounded(split.stream))
    parts: dict[PartName, Part] = dict(_identities(events, split.stream, queries.plan.shards))
    batch = shared_batch(events, partial(queries.apart.queries.filter_graph, split.stream))
    for unit in queries.units:
        if split.stream in unit.streams:
            given = (
                _of_query(queries, unit, split.stream, batch)
                if unit.single
                else _of_several(unit, split.stream, events, queries.plan.shards)
            )
            parts |= given
    write_parts(folder, name, parts, sync=False)
    refused = [f"{raw.place(row)}: {why}" for row, why in _first(annotated.rejected)]
    reasons = [*(f"{one.place}: {one.reason}" for one in raw.malformed[:_SHOWN]), *refused][:_SHOWN]
    return SplitReport(
        split,
        name,
        raw.table.num_rows + len(raw.malformed),
        pc.max(events["_time"]).as_py(),
        annotated.events.num_rows - events.num_rows,
        annotated.unlinked,
        len(raw.malformed) + annotated.rejected.num_rows,
        tuple(reasons),
    )


def _first(rejected: pa.Table) -> list[tuple[int, str]]:
    found = rejected.slice(0, _SHOWN)
    return list(zip(found["row"].to_pylist(), found["reason"].to_pylist(), strict=True))


def _first_ones(annotated: AnnotatedBatch, *, bounded: bool) -> pa.Table:
    """The events whose identity comes for the first time in the split; the others are duplicates in any case."""
    events = annotated.events
    frame = frame_of(events, ["_id", "_time"])
    fresh = first_ones(frame["_id"], timestamps(frame["_time"]) if bounded else None)
    return events if fresh is None else events.filter(pa.array(fresh))


def _identities(events: pa.Table, stream: str, shards: int) -> Iterator[tuple[PartName, Part]]:
    """By shard of their identities, what says which events are duplicates or late."""
    frame = frame_of(events, ["_id", "_time"])
    frame = frame.with_columns(
        pl.col("_time").cast(pl.Datetime("us", "UTC")), pl.Series(ROW, np.arange(frame.height, dtype=np.int64))
    ).with_columns(pl.col("_time").cum_max().shift(1).alias(BEFORE_ROW))
    for shard, rows in _dealt(shard_of([frame["_id"]], shards)):
        yield (IDENTITIES, stream, shard), table_bytes(frame[rows])


def _of_several(unit: QueryUnit, stream: str, events: pa.Table, most: int) -> dict[PartName, Part]:
    """All events, for queries that answer each other."""
    events = events.drop_columns("_row")
    if not isinstance(unit.key, UnitKey):
        return {(unit.name, stream, 0): table_bytes(events)}
    frame = frame_of(events, unit.key.columns[stream])
    dealt = _dealt(shard_of(frame.get_columns(), most))
    return {(unit.name, stream, shard): table_bytes(events.take(pa.array(rows))) for shard, rows in dealt}


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
    if not isinstance(unit.key, ShardKey):
        return np.zeros(frame.height, np.int64)
    of = variable.rpartition("?")[2]  # what ends repetitions is named `until 7 ?b`
    name = f"#partition{unit.key.place}" if variable == EVENTS else unit.key.columns[of]
    return shard_of([frame[name]], unit.shards(most))


def _dealt(shards: Ints) -> Iterator[tuple[int, Ints]]:
    """The rows of each shard, in their order."""
    for shard in np.unique(shards).tolist():
        yield shard, np.flatnonzero(shards == shard)
