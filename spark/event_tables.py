"""Event tables as Spark takes them, and as it hands them from stage to stage: some rows of bytes for each stream."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ..annotator import AnnotatedBatch, EventShape
from ..cep.output import ARROW_TYPES
from ..errors import PlanError
from ..pipeline import Catalog
from ..pipeline.sharding import shard_of
from ..pipeline.sources import read_recording

__all__ = [
    "ARRIVAL",
    "PARCELS",
    "REASON",
    "arrived",
    "arrived_events",
    "check_single",
    "event_schema",
    "looked_at",
    "parcel",
    "parcels",
    "plain_events",
    "rejected_rows",
    "unpacked",
]

PARCELS = pa.schema([("stream", pa.string()), ("shard", pa.int64()), ("payload", pa.binary())])
"""Events, or rows, of a shard: `payload` is a table in Arrow's stream format."""
ARRIVAL = "#arrival"
"""The column of what tells the order of arrival, where the user says it."""
REASON = "_reason"
"""The column of why a tuple is no event."""


def event_schema(shape: EventShape) -> pa.Schema:
    """The columns of a stream's events: `_time`, `_id`, attributes, the individuals that they stand for, `_extra`."""
    kinds = {a.name: ARROW_TYPES[a.type] for a in shape.attributes}
    individuals = [a.individual for a in shape.attributes if a.individual is not None and a.individual not in kinds]
    moment = pa.timestamp("us", tz="UTC")
    columns = {"_time": moment, "_id": pa.string(), **kinds, **dict.fromkeys(individuals, pa.string())}
    return pa.schema(list({**columns, "_extra": pa.string()}.items()))


def plain_events(project: Catalog, stream: str, raw: pa.Table) -> pa.Table:
    """Raw tuples as events, in plain types, with `#arrival` where tuples have it; what is no event is left out."""
    arrival = raw[ARRIVAL] if ARRIVAL in raw.column_names else None
    annotated = _annotated(project, stream, raw if arrival is None else raw.drop_columns(ARRIVAL)).events
    events = _conform(annotated, event_schema(project.annotators[stream].shape))
    return events if arrival is None else events.append_column(ARRIVAL, arrival.take(annotated["_row"]))


def check_single(project: Catalog, stream: str, asked: str) -> None:
    """Make sure that a raw tuple is an event, and no more.

    Raises:
        PlanError: it makes several.
    """
    source = project.settings.streams[stream].source
    if source is not None and source.unpivot is not None:
        raise PlanError(
            f"{asked} beside streams.{stream}.source.unpivot, which makes several tuples of one",
            hint="unpivot the DataFrame first: df.unpivot(…)",
        )


def rejected_rows(project: Catalog, stream: str, raw: pa.Table) -> pa.Table:
    """Of raw tuples those that are no events, each with its `_reason`."""
    rejected = _annotated(project, stream, raw).rejected
    return raw.take(rejected["row"]).append_column(REASON, rejected["reason"])


def _annotated(project: Catalog, stream: str, raw: pa.Table) -> AnnotatedBatch:
    (batch,) = read_recording(raw, project.settings.streams[stream])
    return project.annotators[stream].annotate(batch.table)


def looked_at(events: pa.Table, columns: Collection[str]) -> pa.Table:
    """The events with their identity, their time, what says when they arrived, and some other columns."""
    kept = {"_time", "_id", ARRIVAL, *columns}
    return events.select([name for name in events.column_names if name in kept])


def arrived(events: pa.Table) -> pa.Table:
    """Events in their order of arrival, as `#arrival` says it; where it says nothing, of time, then of what they hold.

    A DataFrame has no order of its own, and this one does not depend on how it is cut.
    """
    frame = pl.DataFrame(pl.from_arrow(events))
    first = [name for name in (ARRIVAL, "_time", "_id") if name in frame.columns]
    ordered = frame.sort([*first, *sorted({*frame.columns} - {*first})], nulls_last=True)
    return ordered.drop(ARRIVAL, strict=False).to_arrow(compat_level=pl.CompatLevel.oldest())


def arrived_events(shard: pa.Table) -> dict[str, pa.Table]:
    """The events of rows of `PARCELS`, by stream, each in order of arrival."""
    streams = shard["stream"].unique().to_pylist()
    own = {stream: shard.filter(pc.equal(shard["stream"], stream))["payload"].to_pylist() for stream in streams}
    return {stream: arrived(unpacked(payloads)) for stream, payloads in own.items()}


def parcels(stream: str, events: pa.Table, key: str | None = None, shards: int = 1) -> Iterator[pa.RecordBatch]:
    """Events as rows of `PARCELS`, one for each shard that has some; by an equal `key` they are of one shard."""
    if not events.num_rows:
        return
    if key is None:
        yield parcel(stream, 0, events)
        return
    numbers = shard_of([pl.Series(events[key])], shards)
    for shard in np.unique(numbers).tolist():
        yield parcel(stream, shard, events.filter(pa.array(numbers == shard)))


def parcel(stream: str, shard: int, table: pa.Table) -> pa.RecordBatch:
    """A table as a row of `PARCELS`."""
    target = pa.BufferOutputStream()
    with pa.ipc.new_stream(target, table.schema) as writer:
        writer.write_table(table)
    return pa.RecordBatch.from_pylist(
        [{"stream": stream, "shard": shard, "payload": target.getvalue().to_pybytes()}], PARCELS
    )


def unpacked(payloads: Iterable[bytes]) -> pa.Table:
    """The tables of payloads, at least one, one after the other."""
    return pa.concat_tables([pa.ipc.open_stream(payload).read_all() for payload in payloads])


def _conform(events: pa.Table, schema: pa.Schema) -> pa.Table:
    return pa.table([events[field.name].cast(field.type) for field in schema], schema=schema)
