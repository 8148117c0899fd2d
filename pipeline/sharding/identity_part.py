"""Which events of a batch count: duplicates by their identities, late ones by what came before them in any split.

It is asked between reading and answering, since a duplicate may be a candidate of any shard. An identity that
determines its time stamp is looked for in its own shard; otherwise the order of arrival decides, in one shard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pyarrow as pa

from ...expressions import Bools, micros, timestamps
from ...storage import SharedFolder
from ..flow import admission_of
from .hosted_queries import HostedQueries
from .part_file import Part, PartFile, PartName, table_bytes, write_parts
from .repeated_identities import first_ones
from .split_part import BEFORE_ROW, IDENTITIES, ROW

__all__ = ["DROPPED", "IdentityReport", "IdentityWork", "ReadSplit", "identity_part"]

DROPPED = "dropped"
_SEEN = "seen"
_PLACE = "#place"
_KEYS = pl.Schema({"_id": pl.String(), "_time": pl.Datetime("us", "UTC")})


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
    """

    stream: str
    shard: int
    splits: tuple[ReadSplit, ...]
    greatest: tuple[datetime | None, datetime | None]
    watermark: datetime | None
    bound: datetime | None
    seen: str


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
    rows = _rows(work, folder, range(queries.plan.shards) if not queries.is_bounded(work.stream) else (work.shard,))
    judge = _by_identity if queries.is_bounded(work.stream) else _by_arrival
    duplicate, late, seen, greatest = judge(queries, work, rows, folder)
    parts: dict[PartName, Part] = {(_SEEN, work.stream, work.shard): seen}
    gone = np.flatnonzero(duplicate | late)
    for (place,), own in rows.select("_id", _PLACE)[gone].group_by(_PLACE, maintain_order=True):
        parts[DROPPED, work.stream, int(str(place))] = table_bytes(own.select("_id"))
    write_parts(folder, name, parts, sync=False)
    counts = int(np.count_nonzero(duplicate)), int(np.count_nonzero(late))
    return IdentityReport(work.stream, work.shard, name, *counts, greatest)


def _rows(work: IdentityWork, folder: SharedFolder, shards: Sequence[int]) -> pl.DataFrame:
    """The identities of a shard in order of arrival, with what lies before each."""
    found = [pl.DataFrame(schema={**_KEYS, BEFORE_ROW: _KEYS["_time"], _PLACE: pl.Int64})]
    for split in work.splits:
        with PartFile(folder, split.file) as file:
            tables = file.tables([(IDENTITIES, work.stream, shard) for shard in shards])
        some = [pl.DataFrame(pl.from_arrow(table)) for table in tables if table is not None]
        if some:
            frame = some[0] if len(some) == 1 else pl.concat(some).sort(ROW)
            before = pl.max_horizontal(BEFORE_ROW, pl.lit(split.start).cast(_KEYS["_time"]))
            place = pl.lit(split.place, pl.Int64).alias(_PLACE)
            found.append(frame.select("_id", "_time", before.alias(BEFORE_ROW), place))
    return pl.concat(found)


_Judged = tuple[Bools, Bools, Part, datetime | None]
"""Which are duplicates, which are late, what was seen, and the greatest time stamp where that is only known now."""


def _by_identity(queries: HostedQueries, work: IdentityWork, rows: pl.DataFrame, folder: SharedFolder) -> _Judged:
    lateness: timedelta = queries.plan.catalog.settings.streams[work.stream].lateness
    seen = _not_below(_seen(work, folder), work.watermark)
    times = timestamps(rows["_time"])
    every = np.concatenate([timestamps(seen["_time"]), times])
    fresh = first_ones(pl.concat([seen["_id"], rows["_id"]]), every)
    duplicate = np.zeros(len(times), dtype=bool) if fresh is None else ~fresh[seen.height :]
    late = (rows["_time"] < rows[BEFORE_ROW] - lateness).fill_null(value=False).to_numpy()
    floor = work.greatest[1]
    if floor is not None:
        late = late | (times < micros(floor))
    own = rows.select("_id", "_time")
    kept = _not_below(pl.concat([seen, own if fresh is None else own.filter(pl.Series(~duplicate))]), work.bound)
    return duplicate, late & ~duplicate, table_bytes(kept), None


def _not_below(seen: pl.DataFrame, moment: datetime | None) -> pl.DataFrame:
    """What may come again as no late event."""
    return seen if moment is None else seen.filter(pl.col("_time") >= pl.lit(moment).cast(_KEYS["_time"]))


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
    return duplicate, late, table_bytes(kept), admission.greatest


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
