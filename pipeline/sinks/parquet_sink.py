"""Matches as Parquet files, one per query and batch."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ...storage import folder_name, fsync, make_folder, remove_temporaries, write_atomically
from .sink import Sink, unwritable

__all__ = ["ParquetSink"]

_WRITERS = 2


class ParquetSink(Sink):
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

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Write the file of this query and batch, or remove it if there are no matches."""
        target = self._folder / folder_name(query_name) / f"{batch_id:012d}.parquet"
        if target in self._writing:
            self._writing.pop(target).result()
        if matches.num_rows:
            if target.parent not in self._begun:
                self._begin(target.parent)
            self._writing[target] = self._pool.submit(_write_parquet, matches, target)
        else:
            target.unlink(missing_ok=True)

    def _begin(self, folder: Path) -> None:
        """Make a query's folder, or remove what a killed engine left of files there."""
        try:
            make_folder(folder)
        except OSError as error:
            raise unwritable(folder, error) from error
        remove_temporaries(folder)
        self._begun.add(folder)

    def flush(self) -> None:
        """Wait until every file is durable."""
        folders = {target.parent for target in self._writing}
        writing, self._writing = list(self._writing.values()), {}
        wait(writing)
        for written in writing:
            written.result()
        # When all files are there: the journal of the file system then takes their names in one go.
        for folder in folders:
            fsync(folder)


def _write_parquet(matches: pa.Table, target: Path) -> None:
    # Ids are almost all different: neither a dictionary, nor statistics, nor compression of them is worth its time.
    words = [field.name for field in matches.schema if pa.types.is_string(field.type) and field.name != "_id"]
    try:
        with write_atomically(target, sync_folder=False) as temporary:
            pq.write_table(
                matches,
                temporary,
                compression="none",
                use_dictionary=words,
                write_statistics=[name for name in matches.column_names if name not in {"_id", "_events"}],
            )
        with target.open("rb") as file:
            # Nobody reads it back soon: its pages are of more use to the next file than fresh ones.
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError as error:
        raise unwritable(target, error) from error
