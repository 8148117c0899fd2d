"""What is done where rows are many: those of a query's shards in, in output order and as its sinks want them out."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from ....storage import LocalFolder, SharedFolder
from ...sinks import marked
from ..hosted_queries import HostedQueries
from ..hosting_state import PARTS
from ..part_file import write_parts
from .query_parts import QueryParts, found_rows, opened

__all__ = ["RowReport", "RowWork", "row_part"]


@dataclass(frozen=True, slots=True)
class RowWork:
    """Queries whose rows one task writes in one batch."""

    queries: tuple[QueryParts, ...]


@dataclass(frozen=True, slots=True)
class RowReport:
    """What the driver is told.

    Attributes:
        counts: by query label, how many rows were written.
        files: by query label, the names of the files for its sinks, in their order; without rows there are none.
        waiting: the queries of which rows wait for those of other shards.
        file: has these.
    """

    counts: dict[str, int]
    files: dict[str, tuple[str, ...]]
    waiting: tuple[str, ...]
    file: str


def row_part(queries: HostedQueries, work: RowWork, folder: SharedFolder, name: str) -> RowReport:
    """Put the rows of queries together, and write them for sinks.

    Args:
        queries: compiled.
        work: which.
        folder: which all executors reach; a path.
        name: of the file with rows that wait, from which those for sinks have theirs; of each attempt another.
    """
    if not isinstance(folder, LocalFolder):
        raise TypeError(f"rows are written to paths, and {folder} is none")
    files = opened(folder, work.queries)
    counts, written, waiting = dict[str, int](), dict[str, tuple[str, ...]](), dict[str, pa.Table]()
    stem = name.removesuffix(PARTS)
    for place, query in enumerate(work.queries):
        found = found_rows(queries, query, files)
        counts[query.label] = found.rows.num_rows
        names = tuple(f"{stem}.{place}.{number}{PARTS}" for number in range(len(query.targets)))
        if found.rows.num_rows:
            rows = marked(found.rows, "live")
            for target, own in zip(query.targets, names, strict=True):
                target.write(rows, folder.path / own)
            written[query.label] = names
        if found.waiting is not None:
            waiting[query.label] = found.waiting
    if waiting:
        write_parts(folder, name, {(label,): rows for label, rows in waiting.items()})
    return RowReport(counts, written, tuple(waiting), name)
