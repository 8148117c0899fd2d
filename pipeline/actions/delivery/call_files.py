"""The files of calls that wait: one of each batch that made some, one of each retry of dead letters."""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ....storage import (
    DamagedFileError,
    fsync,
    mirrored_files,
    read_mirrored,
    remove_mirrored,
    remove_temporaries,
    write_mirrored,
)

__all__ = ["CallFiles", "FileKey", "Ordinals", "ordinals_of"]

_LOG = logging.getLogger("kaicep")
_NAME = re.compile(r"(batch|retry)-(\d+)\.parquet")
_OPEN = 8
"""So many files are kept in memory."""

Ordinals: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.int64]]"
"""Which rows of a file are meant, in order."""


class FileKey(NamedTuple):
    """Which file it is.

    Attributes:
        retry: 0: of a batch; else the number of the time that dead letters were tried again.
        batch: 0: of none.
    """

    retry: int
    batch: int

    @property
    def name(self) -> str:
        """Of the file."""
        return f"retry-{self.retry:012d}.parquet" if self.retry else f"batch-{self.batch:012d}.parquet"


class CallFiles:
    """The files of a folder; each is there as a whole or not at all, and has a mirror: no log tells of calls that wait.

    Args:
        folder: made when there is something to write.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: OrderedDict[FileKey, pa.Table] = OrderedDict()
        if folder.is_dir():
            remove_temporaries(folder)

    def keys(self) -> list[FileKey]:
        """The files that are there, batches first, in order."""
        found = (_NAME.fullmatch(path.name) for path in mirrored_files(self._folder, "*.parquet"))
        numbers = ((one[1], int(one[2])) for one in found if one)
        return sorted(FileKey(n, 0) if kind == "retry" else FileKey(0, n) for kind, n in numbers)

    def write(self, key: FileKey, calls: pa.Table) -> None:
        """Write a file; when this returns, it survives a power cut."""
        content = BytesIO()
        pq.write_table(calls, content, compression="zstd")
        write_mirrored(self._folder / key.name, content.getvalue(), sync_mirror=False)
        self._open.pop(key, None)

    def read(self, key: FileKey) -> pa.Table | None:
        """The calls of a file; `None`: it is damaged and so is its mirror, and it is set aside."""
        if key not in self._open:
            try:
                self._open[key] = pq.read_table(BytesIO(read_mirrored(self._folder / key.name)))
            except (DamagedFileError, FileNotFoundError, pa.ArrowException) as error:
                self._set_aside(key, error)
                return None
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)
        self._open.move_to_end(key)
        return self._open[key]

    def remove(self, key: FileKey, *, durably: bool = False) -> None:
        """Forget the calls of a file.

        Args:
            key: the file.
            durably: whether that survives a power cut; else its calls may go out a second time after one.
        """
        remove_mirrored(self._folder / key.name)
        self._open.pop(key, None)
        if durably:
            fsync(self._folder)

    def _set_aside(self, key: FileKey, error: Exception) -> None:
        path = self._folder / key.name
        with suppress(FileNotFoundError):  # only its mirror is there
            path.rename(path.with_suffix(".damaged"))
        remove_mirrored(path)
        _LOG.error(
            "the calls of %s are damaged, and so is their mirror (%s): they go out only if their batch is done again, "
            "as it is after a power cut; what is left is %s.damaged",
            path,
            error,
            path.stem,
        )


def ordinals_of(calls: pa.Table) -> Mapping[tuple[str, str], Ordinals]:
    """By action and rule, the places of its calls in a table."""
    numbered = calls.select(["action", "rule"]).append_column("place", pa.array(np.arange(calls.num_rows)))
    grouped = numbered.group_by(["action", "rule"], use_threads=False).aggregate([("place", "list")])
    places = [one.values.to_numpy() for one in grouped["place_list"]]
    return dict(zip(zip(grouped["action"].to_pylist(), grouped["rule"].to_pylist(), strict=True), places, strict=True))
