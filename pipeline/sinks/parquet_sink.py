"""Matches as Parquet files, one per query and batch."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...storage import folder_name, fsync, make_folder, remove_temporaries, write_atomically
from ..flow import RowTarget
from .file_sink import FileSink, take_over
from .sink import RowWriter, unwritable

__all__ = ["ParquetSink"]

_WRITERS = 2


class ParquetSink(FileSink):
    """Writes one file per query and batch, `<folder>/<query>/<batch>.parquet`; the batch again replaces its file.

    Files are written side by side; `flush` waits for them.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        try:
            make_folder(self._folder)
        except OSError as error:
            raise unwritable(self._folder, error) from error
        self._pool = ThreadPoolExecutor(_WRITERS)
        self._writing: dict[Path, Future[None]] = {}
        self._begun: set[Path] = set()
        self._taken: set[Path] = set()

    def begin(self, batch_id: int, query_name: str) -> RowWriter:
        """Write the file of this query and batch, or remove it if there are no matches."""
        return _RowFile(self._file(batch_id, query_name), self._begin, self._do)

    def target(self, query_name: str) -> RowTarget:
        """A file of Parquet."""
        del query_name
        return _ParquetTarget()

    def take(self, batch_id: int, query_name: str, path: Path) -> None:
        """Let a file that is written be that of this query and batch."""
        target = self._file(batch_id, query_name)
        self._begin(target.parent)
        with _refusals_of(target):
            take_over(path, target)
        self._taken.add(target.parent)

    def _file(self, batch_id: int, query_name: str) -> Path:
        """The file of a query and batch, which nobody writes any more."""
        target = self._folder / folder_name(query_name) / f"{batch_id:012d}.parquet"
        if target in self._writing:
            self._writing.pop(target).result()
        return target

    def _do(self, target: Path, work: Callable[[], None]) -> None:
        """Do the last that is to be done for a file, beside what goes on meanwhile."""
        self._writing[target] = self._pool.submit(work)

    def _begin(self, folder: Path) -> None:
        """Make a query's folder, or remove what a killed engine left of files there, once."""
        if folder in self._begun:
            return
        try:
            make_folder(folder)
        except OSError as error:
            raise unwritable(folder, error) from error
        remove_temporaries(folder)
        self._begun.add(folder)

    def flush(self) -> None:
        """Wait until every file is durable."""
        folders = {*self._taken, *(target.parent for target in self._writing)}
        self._taken.clear()
        writing, self._writing = list(self._writing.values()), {}
        wait(writing)
        for written in writing:
            written.result()
        # When all files are there: the journal of the file system then takes their names in one go.
        for folder in folders:
            fsync(folder)


class _RowFile:
    """The file of a query and batch: written beside what is done meanwhile, or as the pieces come if there are several.

    Args:
        target: the file.
        begin: has its folder made.
        do: has something done for it beside what goes on meanwhile.
    """

    def __init__(
        self, target: Path, begin: Callable[[Path], None], do: Callable[[Path, Callable[[], None]], None]
    ) -> None:
        self._target, self._begin, self._do = target, begin, do
        self._first: pa.Table | None = None
        self._open = ExitStack()
        self._file: pq.ParquetWriter | None = None

    def write(self, rows: pa.Table) -> None:
        if not rows.num_rows:
            return
        if self._first is None:
            self._begin(self._target.parent)
            self._first = rows
            return
        with _refusals_of(self._target):
            if self._file is None:
                temporary = self._open.enter_context(write_atomically(self._target, sync_folder=False))
                self._file = self._open.enter_context(
                    pq.ParquetWriter(temporary, self._first.schema, **_form(self._first.schema))
                )
                self._file.write_table(self._first)
            self._file.write_table(rows)

    def close(self) -> None:
        if self._first is None:
            self._target.unlink(missing_ok=True)
        elif self._file is None:
            self._do(self._target, partial(_write_parquet, self._first, self._target))
        else:
            with _refusals_of(self._target):
                self._open.close()
            self._do(self._target, partial(_forget_pages, self._target))


class _ParquetTarget:
    """Writes the file of a query and batch where its rows are; see `RowTarget`."""

    def write(self, rows: pa.Table, path: Path) -> None:
        with _refusals_of(path):
            pq.write_table(rows, path, **_form(rows.schema))
            fsync(path)
            _forget_pages(path)


def _write_parquet(matches: pa.Table, target: Path) -> None:
    with _refusals_of(target):
        with write_atomically(target, sync_folder=False) as temporary:
            pq.write_table(matches, temporary, **_form(matches.schema))
        _forget_pages(target)


def _form(schema: pa.Schema) -> dict[str, Any]:
    # Ids are almost all different: neither a dictionary, nor statistics, nor compression of them is worth its time.
    return {
        "compression": "none",
        "use_dictionary": [field.name for field in schema if pa.types.is_string(field.type) and field.name != "_id"],
        "write_statistics": [name for name in schema.names if name not in {"_id", "_events"}],
    }


def _forget_pages(target: Path) -> None:
    """Nobody reads it back soon: its pages are of more use to the next file than fresh ones."""
    with target.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@contextmanager
def _refusals_of(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritable(target, error) from error
