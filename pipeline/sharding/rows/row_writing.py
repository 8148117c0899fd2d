"""What is done where rows are many: those of a query's shards in, in output order and as its sinks want them out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa

from ....storage import LocalFolder, SharedFolder, StoragePath
from ...flow import WrittenRows
from ...sinks import marked
from ..hosted_queries import HostedQueries
from ..hosting_state import PARTS
from ..log_part import HIDDEN
from ..part_file import write_parts
from .query_parts import QueryParts, found_rows, opened

__all__ = ["RowWork", "WritingReport", "row_part"]


@dataclass(frozen=True, slots=True)
class RowWork:
    """Queries whose rows one task writes in one batch."""

    queries: tuple[QueryParts, ...]


@dataclass(frozen=True, slots=True)
class WritingReport:
    """What the driver is told.

    Attributes:
        counts: by query label, how many rows were written.
        files: by query label, the names of the files for its sinks, in their order; without rows there are none.
        logged: by query label, what was written for the log of matches.
        waiting: the queries of which rows wait for those of other shards.
        file: has these.
    """

    counts: dict[str, int]
    files: dict[str, tuple[str, ...]]
    logged: dict[str, StoragePath]
    waiting: tuple[str, ...]
    file: str

    def written(self, folder: LocalFolder) -> dict[str, WrittenRows]:
        """By query label, what was written, of which the files are in a folder."""
        return {
            label: WrittenRows(
                count, tuple(folder.path / name for name in self.files.get(label, ())), self.logged.get(label)
            )
            for label, count in self.counts.items()
        }


def row_part(queries: HostedQueries, work: RowWork, folder: SharedFolder, name: str) -> WritingReport:
    """Put the rows of queries together, and write them for sinks, and for the log of matches.

    Args:
        queries: compiled.
        work: which.
        folder: which all executors reach; a path.
        name: of the file with rows that wait, from which the others have theirs; of each attempt another.
    """
    if not isinstance(folder, LocalFolder):
        raise TypeError(f"rows are written to paths, and {folder} is none")
    files, report = opened(folder, work.queries), WritingReport({}, {}, {}, (), name)
    waiting: dict[str, pa.Table] = {}
    for place, query in enumerate(work.queries):
        found = found_rows(queries, query, files)
        report.counts[query.label] = found.rows.num_rows
        if found.rows.num_rows:
            _write(query, found.rows, folder, f"{name.removesuffix(PARTS)}.{place}", report)
        if found.waiting is not None:
            waiting[query.label] = found.waiting
    if waiting:
        write_parts(folder, name, {(label,): rows for label, rows in waiting.items()})
    return replace(report, waiting=tuple(waiting))


def _write(query: QueryParts, rows: pa.Table, folder: LocalFolder, stem: str, report: WritingReport) -> None:
    """Write the rows of a query, and note where they are."""
    if query.targets is None:
        return
    names = tuple(f"{stem}.{number}{PARTS}" for number in range(len(query.targets.sinks)))
    delivered = marked(rows, "live")
    for target, own in zip(query.targets.sinks, names, strict=True):
        target.write(delivered, folder.path / own)
    report.files[query.label] = names
    if (log := query.targets.log) is not None:
        report.logged[query.label] = log.folder / f"{HIDDEN}{stem}"
        log.write(rows, report.logged[query.label])
