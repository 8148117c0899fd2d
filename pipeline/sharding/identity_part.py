"""Which events of a batch count: duplicates by their identities, late ones by what came before them in any split.

It is asked between reading and answering, since a duplicate may be a candidate of any shard; where the time of the
splits says that all count, nothing is asked (`StreamClock.is_clear`), and what was seen is written while shards answer.
An identity that determines its time stamp is looked for in its own shard; otherwise the order of arrival decides, in
one shard.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pyarrow as pa

from ...expressions import Bools, micros, timestamps
from ...storage import SharedFolder
from ..flow import admission_of
from .deals import BEFORE, EVENTS_OF, OTHERS, PLACE
from .hosted_queries import HostedQueries
from .keys import first_ones, shard_of
from .part_file import Part, PartFile, PartName, write_parts
from .split_part import IDENTITIES, MOMENT

__all__ = ["DROPPED", "LATE", "IdentityReport", "IdentityWork", "ReadSplit", "identity_part", "seen_parts"]

DROPPED, LATE = "dropped", "late"
_SEEN = "seen"
_SPLIT = "#split"
_KEYS = pl.Schema({"_id": pl.String(), "_time": MOMENT})


@dataclass(frozen=True, slots=True)
class ReadSplit:
    """A split whose parts are written.

    Attributes:
        stream: its stream.
        place: where it stands among the stream's splits.
        file: of its parts.
        start: the greatest time stamp before it; `None`: nothing has come.
    """

    stream: str
    place: int
    file: str
    start: datetime | None


@dataclass(frozen=True, slots=True)
class IdentityWork:
    """A shard of a stream's identities in one batch.

    Attributes:
        stream: which stream.
        shard: which shard.
        splits: those of the stream.
        greatest: the stream's greatest time stamp before the batch, and where its watermark was moved then.
        watermark: before the batch: what lay below it is forgotten.
        bound: what of the stream lies below it after the batch, and need not be kept; `None`: that is not known yet.
        seen: the file with the identities of earlier batches; empty: there are none.
        clear: all of its events count, which is known without looking at them: what was seen is all that is written.
    """

    stream: str
    shard: int
    splits: tuple[ReadSplit, ...]
    greatest: tuple[datetime | None, datetime | None]
    watermark: datetime | None
    bound: datetime | None
    seen: str
    clear: bool = False


@dataclass(frozen=True, slots=True)
class IdentityReport:
    """What the driver is told.

    Attributes:
        stream: which stream.
        shard: which shard.
        file: says which events count for nothing, and what was seen.
        duplicates: how many came again.
        late: how many came below the watermark.
        greatest: of a stream whose identities say nothing of time, its greatest time stamp.
    """

    stream: str
    shard: int
    file: str
    duplicates: int
    late: int
    greatest: datetime | None = None


def identity_part(queries: HostedQueries, work: IdentityWork, folder: SharedFolder, name: str) -> IdentityReport:
    """Find out which events of a shard count for nothing, and write that with what was seen.

    Args:
        queries: compiled.
        work: the shard.
        folder: which all executors reach.
        name: of the file that is written; of each attempt another.
    """
    rows = _rows(queries, work, folder)
    if work.clear:
        kept = _not_below(pl.concat([_seen(work, folder), rows.select("_id", "_time")]), work.bound)
        write_parts(folder, name, {(_SEEN, work.stream, work.shard): kept}, sync=False)
        return IdentityReport(work.stream, work.shard, name, 0, 0)
    judge = _by_identity if queries.is_bounded(work.stream) else _by_arrival
    duplicate, late, seen, greatest = judge(queries, work, rows, folder)
    parts: dict[PartName, Part] = {(_SEEN, work.stream, work.shard): seen}
    for kind, which in ((DROPPED, duplicate | late), (LATE, late)):
        own_rows = rows.select("_id", _SPLIT)[np.flatnonzero(which)]
        for (place,), own in own_rows.group_by(_SPLIT, maintain_order=True):
            parts[kind, work.stream, int(str(place))] = own.select("_id")
    write_parts(folder, name, parts, sync=False)
    counts = int(np.count_nonzero(duplicate)), int(np.count_nonzero(late))
    return IdentityReport(work.stream, work.shard, name, *counts, greatest)


def _rows(queries: HostedQueries, work: IdentityWork, folder: SharedFolder) -> pl.DataFrame:
    """The identities of a shard in order of arrival, with what lies before each."""
    names, deal = list[PartName](), queries.identifying(work.stream)
    if deal is not None:
        names = [(EVENTS_OF, work.stream, deal.column, work.shard), (OTHERS, work.stream, work.shard)]
    else:
        bounded = queries.is_bounded(work.stream)
        shards = [work.shard] if bounded else range(queries.plan.shards)
        names = [(IDENTITIES, work.stream, shard) for shard in shards]
    found = [pl.DataFrame(schema={**_KEYS, BEFORE: MOMENT, _SPLIT: pl.Int64})]
    read = folder.each(lambda name: PartFile(folder, name).tables(names), [split.file for split in work.splits])
    for split, of_split in zip(work.splits, read, strict=True):
        tables = [table for table in of_split if table is not None]
        some = [pl.DataFrame(pl.from_arrow(table.select(["_id", "_time", BEFORE]))) for table in tables]
        if deal is None and len(some) > 1:
            places = np.concatenate([table[PLACE].to_numpy() for table in tables])
            some = [pl.concat(some)[np.argsort(places)]]
        before = pl.max_horizontal(BEFORE, pl.lit(split.start).cast(MOMENT)).alias(BEFORE)
        place = pl.lit(split.place, pl.Int64).alias(_SPLIT)
        found += [frame.select("_id", pl.col("_time").cast(MOMENT), before, place) for frame in some]
    return pl.concat(found)


def seen_parts(stream: str, seen: pl.DataFrame, shards: int) -> Iterator[tuple[int, PartName, pl.DataFrame]]:
    """The identities of earlier batches of a stream, by shard: which one, and the part that `IdentityWork.seen` names.

    Args:
        stream: its name.
        seen: `_id` and `_time`, in order of arrival.
        shards: how many its identities have.
    """
    numbers = shard_of([seen["_id"]], shards)
    for shard in range(shards):
        yield shard, (_SEEN, stream, shard), seen.select("_id", "_time").filter(pl.Series(numbers == shard))


_Judged = tuple[Bools, Bools, Part, datetime | None]
"""Which are duplicates, which are late, what was seen, and the greatest time stamp where that is only known now."""


def _by_identity(queries: HostedQueries, work: IdentityWork, rows: pl.DataFrame, folder: SharedFolder) -> _Judged:
    lateness: timedelta = queries.plan.catalog.settings.streams[work.stream].lateness
    seen = _not_below(_seen(work, folder), work.watermark)
    times = timestamps(rows["_time"])
    every = np.concatenate([timestamps(seen["_time"]), times])
    fresh = first_ones(pl.concat([seen["_id"], rows["_id"]]), every)
    duplicate = np.zeros(len(times), dtype=bool) if fresh is None else ~fresh[seen.height :]
    late = (rows["_time"] < rows[BEFORE] - lateness).fill_null(value=False).to_numpy()
    floor = work.greatest[1]
    if floor is not None:
        late = late | (times < micros(floor))
    own = rows.select("_id", "_time")
    kept = _not_below(pl.concat([seen, own if fresh is None else own.filter(pl.Series(~duplicate))]), work.bound)
    return duplicate, late & ~duplicate, kept, None


def _not_below(seen: pl.DataFrame, moment: datetime | None) -> pl.DataFrame:
    """What may come again as no late event."""
    return seen if moment is None else seen.filter(pl.col("_time") >= pl.lit(moment).cast(MOMENT))


def _by_arrival(queries: HostedQueries, work: IdentityWork, rows: pl.DataFrame, folder: SharedFolder) -> _Judged:
    catalog = queries.plan.catalog
    stream = catalog.settings.streams[work.stream]
    admission = admission_of(catalog.annotators[work.stream], stream.lateness, catalog.settings.engine.identities)
    admission.recall(*work.greatest, lambda _, most: _seen(work, folder).tail(most or 0).to_arrow())
    places = rows.select("_id", "_time").with_row_index("#").to_arrow()
    admitted = admission.admit(places)
    late, counted = (_among(rows.height, table) for table in (admitted.late, admitted.events))
    duplicate = ~(late | counted)
    kept = pl.concat([_seen(work, folder), rows.filter(pl.Series(~duplicate)).select("_id", "_time")])
    kept = kept.tail(catalog.settings.engine.identities)
    return duplicate, late, kept, admission.greatest


def _among(height: int, table: pa.Table) -> Bools:
    """Which of all rows a table has."""
    among = np.zeros(height, dtype=bool)
    among[table["#"].to_numpy()] = True
    return among


def _seen(work: IdentityWork, folder: SharedFolder) -> pl.DataFrame:
    if not work.seen:
        return pl.DataFrame(schema=_KEYS)
    with PartFile(folder, work.seen) as file:
        table = file.table((_SEEN, work.stream, work.shard))
    return pl.DataFrame(schema=_KEYS) if table is None else pl.DataFrame(pl.from_arrow(table)).cast(_KEYS)
