"""Events of queries in contexts, held before FILTER and PATH until it is known in which contexts they lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from io import BytesIO
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ...rules import united
from ..candidates import EventBatch

__all__ = ["EventSplits", "HeldEvents"]

_STREAM = b"stream"


class EventSplits:
    """Cuts held events at moments, each but once however many queries hold them; what they share stays shared."""

    def __init__(self) -> None:
        self._known: dict[tuple[datetime, tuple[int, ...]], _Cut] = {}

    def cut(self, held: Sequence[EventBatch], moment: datetime) -> tuple[EventBatch | None, EventBatch | None]:
        """The events before a moment, and the others; `None`: there are none."""
        key = (moment, tuple(map(id, held)))
        if key not in self._known:
            self._known[key] = _Cut(tuple(held), *_cut(held, moment))
        known = self._known[key]
        return known.before, known.others


class HeldEvents:
    """The events that one query waits with, by stream."""

    def __init__(self) -> None:
        self._streams: dict[str, tuple[EventBatch, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._streams)

    @property
    def earliest(self) -> datetime | None:
        """The first time stamp among them; `None`: there are none."""
        return min((pc.min(batch.table["_time"]).as_py() for batch in self.batches), default=None)

    @property
    def batches(self) -> Iterator[EventBatch]:
        """All that is held, in no order."""
        return (batch for held in self._streams.values() for batch in held)

    def take(self, events: Mapping[str, EventBatch]) -> None:
        """Hold events of streams, in order of arrival."""
        for stream, batch in events.items():
            if batch.table.num_rows:
                self._streams[stream] = (*self._streams.get(stream, ()), batch)

    def ahead(self, moment: datetime, splits: EventSplits) -> tuple[dict[str, EventBatch], HeldEvents]:
        """The events before a moment, by stream, in order of arrival; and the others."""
        released, others = {}, HeldEvents()
        for stream, held in self._streams.items():
            before, behind = splits.cut(held, moment)
            if before is not None:
                released[stream] = before
            if behind is not None:
                others._streams[stream] = (behind,)
        return released, others

    def copy(self) -> HeldEvents:
        """The same events, whatever becomes of these."""
        copied = HeldEvents()
        copied.keep(self)
        return copied

    def keep(self, others: HeldEvents) -> None:
        """Hold what another one holds."""
        self._streams = dict(others._streams)

    def release(self, moment: datetime, splits: EventSplits) -> dict[str, EventBatch]:
        """The events before a moment, as `ahead`; they are held no more."""
        released, others = self.ahead(moment, splits)
        self.keep(others)
        return released

    def snapshot(self) -> bytes:
        """The events, for `restore`."""
        out = BytesIO()
        for stream, held in self._streams.items():
            table = united([batch.table for batch in held]).replace_schema_metadata({_STREAM: stream.encode()})
            part = BytesIO()
            with pa.ipc.new_stream(part, table.schema) as writer:
                writer.write_table(table)
            out.write(part.tell().to_bytes(8, "big") + part.getvalue())
        return out.getvalue()

    def restore(self, state: bytes) -> None:
        """Hold what was held when `snapshot` was asked."""
        self._streams, at = {}, 0
        while at < len(state):
            size = int.from_bytes(state[at : at + 8], "big")
            with pa.ipc.open_stream(pa.py_buffer(state[at + 8 : at + 8 + size])) as reader:
                table = reader.read_all()
            stream = table.schema.metadata[_STREAM].decode()
            self._streams[stream] = (EventBatch(table.replace_schema_metadata(None)),)
            at += 8 + size


class _Cut(NamedTuple):
    held: tuple[EventBatch, ...]  # kept, so that no other batch gets its place in memory
    before: EventBatch | None
    others: EventBatch | None


def _cut(held: Sequence[EventBatch], moment: datetime) -> tuple[EventBatch | None, EventBatch | None]:
    before: list[EventBatch] = []
    others: list[EventBatch] = []
    for batch in held:
        times = batch.table["_time"]
        early = pc.less(times, pa.scalar(moment, times.type))
        count = pc.sum(early).as_py() or 0
        if count == len(times):
            before.append(batch)
        elif not count:
            others.append(batch)
        else:
            in_order = pc.all(early.slice(0, count)).as_py()
            before.append(EventBatch(batch.table.slice(0, count) if in_order else batch.table.filter(early)))
            others.append(EventBatch(batch.table.filter(pc.invert(early))))
    return _one(before), _one(others)


def _one(batches: Sequence[EventBatch]) -> EventBatch | None:
    if len(batches) < 2:
        return batches[0] if batches else None
    return EventBatch(united([batch.table for batch in batches]))
