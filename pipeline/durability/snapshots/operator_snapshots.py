"""Snapshots: the state after each batch, durable before Spark commits the batch (docs/decisions/071)."""

from __future__ import annotations

import errno
import logging
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from ....errors import PipelineError, Place
from ....storage import make_folder, remove_temporaries, write_atomically

_LOG = logging.getLogger("kaicep")
_KEPT = 3
_DAMAGES = (zipfile.BadZipFile, zlib.error, RuntimeError, ValueError, KeyError, EOFError)
"""What `zipfile` raises of files that are not as it wrote them, such as a compression or an encryption that no snapshot
has (RuntimeError and what derives from it); their contents have checksums."""
_NAME = re.compile(r"(\d{12})\.snapshot")


class OperatorSnapshots:
    """The snapshots of one engine, a file per batch; the last few are kept.

    Args:
        folder: made when it is missing.
        say: takes a line of the log.

    Raises:
        PipelineError: it cannot be made.
    """

    def __init__(self, folder: Path, say: Callable[[str], None] = _LOG.info) -> None:
        self.folder, self._say = folder, say
        try:
            make_folder(folder)
        except OSError as error:
            raise PipelineError(
                f"cannot make the engine's state: {error.strerror}",
                place=Place(str(folder)),
                hint="choose another path with state under [engine]",
            ) from error

    def write(self, batch: int, parts: Mapping[str, bytes]) -> int:
        """Make the state after a batch durable, all of it or nothing; its bytes."""
        remove_temporaries(self.folder)
        with (
            write_atomically(self._path(batch)) as temporary,
            zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive,
        ):
            for name, content in parts.items():
                archive.writestr(name, content)
        for old in self._batches()[:-_KEPT]:
            self._path(old).unlink(missing_ok=True)
        return sum(map(len, parts.values()))

    def newest(self, upto: int) -> tuple[int, dict[str, bytes]] | None:
        """The newest snapshot of a batch up to this one that is whole: its batch and its parts."""
        for batch in reversed([known for known in self._batches() if known <= upto]):
            parts = self.read(batch)
            if parts is not None:
                return batch, parts
        return None

    def read(self, batch: int) -> dict[str, bytes] | None:
        """The state after a batch; `None`: there is no snapshot, or it is damaged, is told, and put aside."""
        path = self._path(batch)
        try:
            with zipfile.ZipFile(path) as archive:
                return {name: archive.read(name) for name in archive.namelist()}
        except FileNotFoundError:
            return None
        except (*_DAMAGES, OSError) as error:
            if isinstance(error, OSError) and error.errno != errno.EIO:
                raise  # nothing is said of the file; a bad sector stays one, and an older snapshot is good enough
            aside = path.with_suffix(".damaged")
            path.replace(aside)
            self._say(f"recovery: the snapshot of batch {batch} is damaged ({error}), and is put aside as {aside.name}")
            return None

    def copy(self, upto: int, other: OperatorSnapshots) -> None:
        """Let another folder have the newest snapshot of a batch up to this one, too, if there is one here."""
        batch = self.last(upto)
        if batch is not None and batch not in other._batches():
            with write_atomically(other._path(batch)) as temporary:
                temporary.write_bytes(self._path(batch).read_bytes())

    def retain(self, batches: AbstractSet[int]) -> None:
        """Remove all snapshots but the newest up to each of these batches."""
        for batch in set(self._batches()) - {self.last(upto) for upto in batches}:
            self._path(batch).unlink(missing_ok=True)

    def last(self, upto: int) -> int | None:
        """The newest batch up to this one that has a snapshot."""
        return max((batch for batch in self._batches() if batch <= upto), default=None)

    def oldest(self) -> int | None:
        """The first batch that has a snapshot."""
        return min(self._batches(), default=None)

    def latest(self) -> int | None:
        """The last batch that has a snapshot."""
        return max(self._batches(), default=None)

    def _batches(self) -> list[int]:
        found = (_NAME.fullmatch(p.name) for p in self.folder.iterdir())
        return sorted(int(m[1]) for m in found if m)

    def _path(self, batch: int) -> Path:
        return self.folder / f"{batch:012d}.snapshot"
