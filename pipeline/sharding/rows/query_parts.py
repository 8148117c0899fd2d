"""The rows of a query as its shards have left them, put together in output order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import pyarrow as pa

from ....storage import SharedFolder
from ...flow import RowTargets
from ..hosted_queries import HostedQueries
from ..part_file import PartFile, PartName
from ..row_merge import handed_over, merged_rows

__all__ = ["FoundRows", "QueryParts", "found_rows", "opened", "shared_out"]


@dataclass(frozen=True, slots=True)
class QueryParts:
    """Where the rows of a query in a batch are.

    Attributes:
        label: the query's.
        unit: with which it is answered.
        files: of shards and, first, of the batches before, whose rows have waited; of each the parts that are its rows.
        count: how many rows these have.
        held: what no row to come lies below, where a match may still grow in some shard; `None`: none can.
        targets: how they are written; `None`: they go to the driver.
    """

    label: str
    unit: str
    files: tuple[tuple[str, tuple[PartName, ...]], ...]
    count: int
    held: datetime | None
    targets: RowTargets | None = None


class FoundRows(NamedTuple):
    """Rows of a query: as users see them, and those that wait for rows of other shards."""

    rows: pa.Table
    waiting: pa.Table | None


def opened(folder: SharedFolder, queries: Iterable[QueryParts]) -> dict[str, PartFile]:
    """The files that have rows of queries, by name; of each the parts of all these are read together."""
    wanted: dict[str, list[PartName]] = {}
    for query in queries:
        for name, parts in query.files:
            wanted.setdefault(name, []).extend(parts)

    def read(name: str) -> PartFile:
        file = PartFile(folder, name)
        file.hold(wanted[name])
        return file

    names = list(wanted)
    return dict(zip(names, folder.each(read, names), strict=True))


def found_rows(queries: HostedQueries, of: QueryParts, files: Mapping[str, PartFile]) -> FoundRows:
    """The rows of a query, those of its shards in output order.

    Args:
        queries: compiled.
        of: which.
        files: that have them.
    """
    parts = [table for name, own in of.files for table in files[name].tables(own) if table is not None]
    unit = queries.unit(of.unit)
    flow = queries.flows(unit)[of.label]
    if not parts:
        return FoundRows(flow.rows.none, None)
    if unit.key is None:  # of one place, which hands them over in its order: that of OUTPUT may not be that of time
        rows = pa.concat_tables(parts)
        return FoundRows(flow.rows.visible(rows) if unit.single else rows, None)
    rows, waiting = merged_rows(parts), None
    if of.held is not None:
        rows, later = handed_over(rows, of.held)
        waiting = later if later.num_rows else None
    return FoundRows(flow.rows.visible(rows) if rows.num_rows else flow.rows.none, waiting)


def shared_out(queries: Sequence[QueryParts], tasks: int) -> list[tuple[QueryParts, ...]]:
    """The queries of each task, so that all have about as many rows."""
    shares: list[list[QueryParts]] = [[] for _ in range(tasks)]
    for query in sorted(queries, key=lambda each: -each.count):
        min(shares, key=lambda share: sum(each.count for each in share)).append(query)
    return [tuple(share) for share in shares if share]
