"""Where matches go. A batch that Spark delivers again leaves a sink as if it had come once.

The engine writes the matches of a batch, flushes, and then makes its snapshot durable, of which the sinks' snapshots
are a part: what a snapshot says is written, is. It takes the first snapshot before the first batch.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Protocol
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console

from ...errors import PipelineError
from ...storage import fsync, make_folder, remove_temporaries, write_atomically
from .row_printing import table
from .rows import json_lines, rows

_WRITERS = 2

__all__ = ["CallbackSink", "ConsoleSink", "JsonLinesSink", "ParquetSink", "Sink"]


class Sink(Protocol):
    """Takes the matches of one batch after the other, in order of their numbers."""

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Take the matches of one query in one batch; the same batch again must change nothing."""

    def flush(self) -> None:
        """Make durable what was written; by default nothing waits."""
        return

    def snapshot(self) -> dict[str, Any]:
        """Return what `restore` needs, as JSON values: everything written so far belongs to it; by default nothing."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to a snapshot, what was written after it will come again; by default there is nothing to do."""
        del state


class JsonLinesSink(Sink):
    """Appends each match as a JSON line to a file; exactly once, since a restart cuts off what will come again.

    Args:
        path: the file, made if it does not exist; `-` is the standard output, where what is written twice stays.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = None if str(path) == "-" else Path(path)
        self._file: IO[bytes] = sys.stdout.buffer if self._path is None else _opened(self._path)

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Append the matches."""
        del batch_id
        self._file.write(json_lines(matches, query_name))

    def flush(self) -> None:
        """Make the lines durable."""
        self._file.flush()
        if self._path is not None:
            os.fsync(self._file.fileno())

    def snapshot(self) -> dict[str, Any]:
        """Return the file and its length."""
        if self._path is None:
            return {}
        self._file.flush()
        return {"file": str(self._path.resolve()), "bytes": self._file.seek(0, os.SEEK_END)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Cut the file to the snapshot's length; another file, or one that is shorter, goes on as it is."""
        if self._path is not None and state.get("file") == str(self._path.resolve()):
            self._file.flush()
            if self._file.seek(0, os.SEEK_END) > state["bytes"]:
                self._file.truncate(state["bytes"])

    def close(self) -> None:
        """Close the file."""
        self.flush()
        if self._path is not None:
            self._file.close()


class ParquetSink(Sink):
    """Writes one file per query and batch, `<folder>/<query>/<batch>.parquet`; the batch again replaces its file.

    Files are written side by side; `flush` waits for them.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(self._folder, error) from error
        self._pool = ThreadPoolExecutor(_WRITERS)
        self._writing: dict[Path, Future[None]] = {}
        self._begun: set[Path] = set()

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Write the file of this query and batch, or remove it if there are no matches."""
        target = self._folder / quote(query_name, safe="") / f"{batch_id:012d}.parquet"
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
            raise _unwritable(folder, error) from error
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


class ConsoleSink(Sink):
    """Shows matches: as tables on a terminal, as JSON lines elsewhere.

    Args:
        console: where to; by default the standard output.
        limit: rows shown per query and batch; the others are counted.
        prefixes: by which tables shorten IRIs.
    """

    def __init__(
        self, console: Console | None = None, limit: int = 20, prefixes: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._console = Console() if console is None else console
        self._limit = limit
        self._prefixes = prefixes

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Show the matches."""
        del batch_id
        if not matches.num_rows:
            return
        if not self._console.is_terminal:
            self._console.file.write(json_lines(matches, query_name).decode())
            return
        shown = rows(matches.slice(0, self._limit))
        self._console.print(table(shown, matches.column_names, query_name, self._prefixes))
        if matches.num_rows > self._limit:
            self._console.print(f"… and {matches.num_rows - self._limit:,} more", highlight=False)

    def flush(self) -> None:
        """Show what the stream still holds."""
        self._console.file.flush()


class CallbackSink(Sink):
    """Calls a function with the name of the query and each of its rows (`rows.rows`), in order.

    After a crash the rows of the last batch may come again, with the same `_id`.
    """

    def __init__(self, function: Callable[[str, dict[str, Any]], object]) -> None:
        self._function = function

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Call the function for each row."""
        del batch_id
        for row in rows(matches):
            self._function(query_name, row)


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
        raise _unwritable(target, error) from error


def _opened(path: Path) -> IO[bytes]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("ab")
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> PipelineError:
    return PipelineError(f"cannot write matches to {path}: {error.strerror}", hint="name a place that can be written")
