"""Admission: which tuples of a stream count, and how far its time has come (docs/semantics.md 1.2, 1.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np
import polars as pl
import pyarrow as pa

from ...errors import OperatorError
from ...expressions import timestamps

MOST_IDENTITIES = 1_000_000
_VERSION = 2
_CHUNKS = 64
_SEEN = pl.Schema({"_id": pl.String(), "_time": pl.Datetime("us", "UTC")})
_NONE = pl.DataFrame(schema=_SEEN)


@dataclass(frozen=True, slots=True)
class Admitted:
    """What became of one stream's tuples in one batch.

    Attributes:
        events: the event table of the tuples that are part of the stream, in order of arrival.
        late: the event table of those that came below the watermark.
        duplicates: how many had an identity that was seen before.
    """

    events: pa.Table
    late: pa.Table
    duplicates: int


class Admission:
    """Drops duplicates and late tuples of one stream; its state is the watermark and the identities that matter.

    Args:
        lateness: how far an event may lie behind the greatest time stamp before it.
        bounded: whether an identity determines its time stamp. Then an identity below the watermark can only come
            again as a late tuple and is forgotten; otherwise it is kept.
        most: so many identities are kept; beyond that the earliest that came are forgotten.

    Attributes:
        forgets: whether an identity was forgotten that may come again.
    """

    def __init__(self, lateness: timedelta, *, bounded: bool, most: int = MOST_IDENTITIES) -> None:
        self._lateness = lateness
        self._bounded = bounded
        self._most = most
        self.forgets = False
        self._greatest: datetime | None = None
        self._floor: datetime | None = None
        self._seen = pl.DataFrame(schema=_SEEN)

    @property
    def greatest(self) -> datetime | None:
        """The greatest time stamp so far; `None` before the first event."""
        return self._greatest

    @property
    def watermark(self) -> datetime | None:
        """The greatest time stamp minus the lateness, or where `advance` moved it; no event is admitted below it."""
        own = None if self._greatest is None else _minus(self._greatest, self._lateness)
        return max((w for w in (own, self._floor) if w is not None), default=None)

    def admit(self, events: pa.Table) -> Admitted:
        """Judge the tuples one by one, in order of arrival.

        Args:
            events: an event table (columns `_time`, `_id` and others), in order of arrival.
        """
        keys = pl.DataFrame(
            {
                "_id": pl.from_arrow(events["_id"]),
                "_time": pl.from_arrow(events["_time"]),
            }
        ).cast(_SEEN)
        fresh = self._fresh(keys)
        duplicates = 0 if fresh is None else events.num_rows - int(fresh.sum())
        if duplicates and fresh is not None:
            events, keys = events.filter(fresh.to_arrow()), keys.filter(fresh)
        late = self._late(keys["_time"])
        self._advance(keys)
        if late is None:
            return Admitted(events, events.slice(0, 0), duplicates)
        return Admitted(events.filter((~late).to_arrow()), events.filter(late.to_arrow()), duplicates)

    def advance(self, watermark: datetime) -> None:
        """Move the watermark of a stream that has been silent; it never goes back.

        Args:
            watermark: aware.
        """
        if self._floor is None or watermark > self._floor:
            self._floor = watermark.astimezone(UTC)
            if self._bounded:
                self._seen = self._seen.filter(pl.col("_time") >= self.watermark)

    @property
    def seen(self) -> pl.DataFrame:
        """The identities that matter, `_id` and `_time`, in order of arrival."""
        return self._seen

    @property
    def moments(self) -> tuple[datetime | None, datetime | None]:
        """The greatest time stamp so far, and where `advance` moved the watermark: its time, for `recall`."""
        return self._greatest, self._floor

    def recall(
        self,
        greatest: datetime | None,
        floor: datetime | None,
        known: Callable[[datetime | None, int | None], pa.Table],
    ) -> None:
        """Be where a stream was, by what was kept of its events.

        Args:
            greatest: its `moments` then.
            floor: likewise.
            known: gives columns `_id` and `_time` of its events from some moment on, perhaps only of so many last ones.
        """
        self._greatest, self._floor = greatest, floor
        if self.watermark is not None:
            asked = known(self.watermark, None) if self._bounded else known(None, self._most)
            seen = pl.DataFrame(pl.from_arrow(asked)).select("_id", "_time").cast(_SEEN) if asked.num_rows else _NONE
            self._seen = seen if self._bounded else seen.tail(self._most)

    def end(self) -> None:
        """End the stream: whatever comes now is late."""
        self._greatest = datetime.max.replace(tzinfo=UTC)

    def taken(self) -> Callable[[], bytes]:
        """Gives the state as it is now, for `restore`, from any thread."""
        return partial(_written, self._seen, {"greatest": self._greatest, "floor": self._floor})

    def snapshot(self) -> bytes:
        """The state as bytes, for `restore`."""
        return self.taken()()

    def restore(self, state: bytes) -> None:
        """Go on from a snapshot.

        Raises:
            OperatorError: the snapshot is of another version.
        """
        table = pa.ipc.open_file(pa.BufferReader(state)).read_all()
        metadata = table.schema.metadata
        if int(metadata[b"version"]) != _VERSION:
            raise OperatorError(
                f"the snapshot of a stream has version {metadata[b'version'].decode()}, this kaicep reads {_VERSION}",
                hint="run the kaicep that wrote it, or remove the snapshots to start from the archive",
            )
        self._greatest = _moment(metadata[b"greatest"])
        self._floor = _moment(metadata[b"floor"])
        self._seen = pl.DataFrame(pl.from_arrow(table)).cast(_SEEN)

    def _fresh(self, keys: pl.DataFrame) -> pl.Series | None:
        """Which rows have an identity that was not seen; `None` when all have."""
        if self._bounded and self._is_later(keys["_time"]):
            return self._fresh_of_tied(keys)
        fresh = keys["_id"].is_first_distinct()
        if self._seen.height:
            # Looked for by what has come, which is little: what was seen may be much.
            known = self._seen["_id"].filter(self._seen["_id"].is_in(keys["_id"].implode()))
            fresh = fresh & ~keys["_id"].is_in(known.implode())
        return None if fresh.all() else fresh

    def _is_later(self, time: pl.Series) -> bool:
        """Whether all time stamps are greater than those of earlier batches, and none is less than one before it."""
        moments = timestamps(time)
        later = self._greatest is None or time.is_empty() or time[0] > self._greatest
        return later and bool((moments[1:] >= moments[:-1]).all())

    @staticmethod
    def _fresh_of_tied(keys: pl.DataFrame) -> pl.Series | None:
        """The same of rows in order, later than all that was seen: an identity determines its time stamp."""
        moments = timestamps(keys["_time"])
        tied = np.flatnonzero(moments[1:] == moments[:-1])
        if not len(tied):
            return None
        rows = np.union1d(tied, tied + 1)
        first = keys["_id"][rows].is_first_distinct().to_numpy()
        if first.all():
            return None
        fresh = np.ones(keys.height, dtype=bool)
        fresh[rows] = first
        return pl.Series(fresh)

    def _late(self, time: pl.Series) -> pl.Series | None:
        """Which rows lie below the watermark of the rows before them; `None` when none does."""
        if time.is_empty():
            return None
        lowest = self.watermark
        if time.is_sorted() and (lowest is None or time[0] >= lowest):
            return None
        before = time.cum_max().shift(1)
        greatest = self._greatest
        if greatest is not None:
            before = pl.select(pl.max_horizontal(pl.lit(before), pl.lit(greatest).cast(before.dtype))).to_series()
        late = (time < before - self._lateness).fill_null(value=False)
        if self._floor is not None:
            late = late | (time < self._floor)
        return late if late.any() else None

    def _advance(self, keys: pl.DataFrame) -> None:
        if keys.is_empty():
            return
        last = keys["_time"].max()
        if isinstance(last, datetime) and (self._greatest is None or last > self._greatest):
            self._greatest = last.astimezone(UTC)
        if self._bounded:
            watermark = pl.lit(self.watermark).cast(keys.schema["_time"])
            keys = keys.filter(pl.col("_time") >= watermark)
            self._seen = self._seen.filter(pl.col("_time") >= watermark)
        self._seen = pl.concat([self._seen, keys], rechunk=self._seen.n_chunks() > _CHUNKS)
        if not self._bounded and self._seen.height > self._most:
            self._seen, self.forgets = self._seen.tail(self._most), True


def _moment(text: bytes) -> datetime | None:
    return datetime.fromisoformat(text.decode()) if text else None


def _minus(moment: datetime, lateness: timedelta) -> datetime:
    earliest = datetime.min.replace(tzinfo=UTC)
    return earliest if moment - earliest < lateness else moment - lateness


def _written(seen: pl.DataFrame, moments: Mapping[str, datetime | None]) -> bytes:
    state = seen.select("_id", "_time").to_arrow()
    texts = {name: "" if moment is None else moment.isoformat() for name, moment in moments.items()}
    state = state.replace_schema_metadata({"version": str(_VERSION), **texts})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, state.schema) as writer:
        writer.write_table(state)
    written: bytes = sink.getvalue().to_pybytes()
    return written
