"""Where things lie in an archive's folder.

- `format.json`: the version of this layout
- `log/<stream>/<generation>-<batch>.parquet`: the event log; `log/.lock` is held by its writer
- `log/<stream>/<generation>-<batch>_<generation>-<batch>.parquet`: batches from the first to the second put together
- `advances/…`: where wall clock moved the watermarks of idle streams, in files like those of the event log
- `matches/<query>/…`: the rows of named queries, in files like those of the event log; see `matches/`
- `origins/<digest>.json`: what made them: the text of the query, the version of the knowledge
- `store/`: Oxigraph; `store.lock` is held by whoever has it open
- `intake/`: the spool: what an archiver has written and the engine has not taken yet; see `sync/spool.py`
- `identity`: what tells this archive from others that write to a SPARQL endpoint, or to tables of Delta Lake
- `snapshots/`: copies of the store that other processes asked for
- `quarantine/<log>/<stream>/…`: segments that are broken; see `log/quarantine.py`

`[archive] log` puts `log/`, `advances/`, `matches/`, `origins/`, `quarantine/`, `format.json`, `identity` in a bucket;
store, locks and intake stay in the folder. `log/.writer-<number>` says there who writes; see `writer_claim.py`.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ..config import Settings
from ..errors import ArchiveError, Place
from ..storage import StoragePath, folder_size, make_folder, path_at, write_atomically

FORMAT = 4
"""1 had one segment per batch, 2 no matches, 3 a JSON file per batch that moved watermarks, and JSON in the footers of
segments; their archives are read, and become of this format when next written."""
LOG, IDLE_WATERMARKS, STORE, SNAPSHOTS = "log", "advances", "store", "snapshots"
MATCHES, PROVENANCES = "matches", "origins"
SPOOL, IDENTITY, QUARANTINE = "intake", "identity", "quarantine"
LOCK = ".lock"
TAKEN = "taken.json"
_VERSION_FILE = "format.json"


@dataclass(frozen=True, slots=True)
class ArchivePlace:
    """Where an archive lies.

    Attributes:
        root: its folder.
        logs: what its logs lie in: the same, or a prefix in a bucket.
    """

    root: Path
    logs: StoragePath

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """That of a project."""
        root, log = settings.path(settings.archive.path), settings.archive.log
        return cls(root, root if log is None else path_at(log, settings.s3.options))

    @classmethod
    def folder(cls, root: Path) -> Self:
        """One that lies in a folder as a whole."""
        return cls(root, root)

    def log(self, name: str) -> StoragePath:
        """What a log lies in."""
        return self.logs / name

    def locks(self, name: str) -> Path:
        """What the lock of a log's writer lies in."""
        return self.root / name

    def prepare(self) -> None:
        """Make it, or check that this version of kaicep can read what is there.

        Raises:
            ArchiveError: it cannot be made, or a newer kaicep wrote it.
        """
        prepare(self.root)
        if self.logs != self.root:
            prepare(self.logs)
            self._identify()

    def _identify(self) -> None:
        """Let the folder be that of these logs: it has their identity, wherever it lies."""
        file, own = self.root / IDENTITY, archive_identity(self.logs)
        if not file.exists():
            with write_atomically(file) as temporary:
                temporary.write_text(own, encoding="utf-8")
        elif archive_identity(self.root) != own:
            raise ArchiveError(
                f"the folder is that of another log than {self.logs}",
                place=Place(str(self.root)),
                hint="choose another path under [archive], or move it away: its store is made again from the log",
            )

    def require(self) -> None:
        """Refuse what is no archive.

        Raises:
            ArchiveError: there is none, or a newer kaicep wrote it.
        """
        require_archive(self.logs)

    @property
    def is_likely(self) -> bool:
        """Whether it may have been begun: its folder is there, or its logs are in a bucket, which is not asked."""
        return self.logs != self.root or self.root.is_dir()

    @property
    def size(self) -> int:
        """Bytes of all that is there."""
        return folder_size(self.root) + (0 if isinstance(self.logs, Path) else self.logs.size)

    @property
    def has_segments(self) -> bool:
        """Whether its log holds events; nothing is opened."""
        return any(self.log(LOG).glob("*/*.parquet"))


def prepare(root: StoragePath) -> None:
    """Make the archive's folder, or check that this version of kaicep can read the one that is there.

    Raises:
        ArchiveError: it cannot be made, or a newer kaicep wrote it.
    """
    version = root / _VERSION_FILE
    try:
        make_folder(root)
        if version.exists():
            check_version(root)
        with write_atomically(version) as temporary:
            temporary.write_text(json.dumps({"format": FORMAT}), encoding="utf-8")
    except OSError as error:
        raise ArchiveError(
            f"cannot make the archive: {error.strerror}",
            place=Place(str(root)),
            hint="choose another path under [archive]",
        ) from error


def archive_identity(root: StoragePath) -> str:
    """What tells this archive from any other: made once.

    Raises:
        ArchiveError: it cannot be kept.
    """
    file = root / IDENTITY
    try:
        if not file.exists():
            with write_atomically(file) as temporary:
                temporary.write_text(uuid.uuid4().hex, encoding="utf-8")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise ArchiveError(
            f"the archive's identity cannot be kept: {error.strerror}",
            place=Place(str(file)),
            hint="choose another path under [archive]",
        ) from error


def require_archive(root: StoragePath) -> None:
    """Refuse a folder that is no archive.

    Raises:
        ArchiveError: there is none, or a newer kaicep wrote it.
    """
    if not (root / LOG).is_dir():
        raise ArchiveError("there is no archive", place=Place(str(root)), hint="run the project first")
    check_version(root)


def intake_of(archive: Path) -> Path | None:
    """Where an archiver has kept events beside the log of an archive's folder; `None`: none has."""
    intake = archive / SPOOL
    return intake if intake.is_dir() else None


def check_version(root: StoragePath) -> None:
    """Refuse an archive that a newer kaicep wrote.

    Raises:
        ArchiveError: its version is newer, or unreadable.
    """
    version = root / _VERSION_FILE
    try:
        found = json.loads(version.read_text(encoding="utf-8"))["format"]
        newer = int(found) > FORMAT
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArchiveError(
            "the archive's version cannot be read",
            place=Place(str(version)),
            hint=f'write {{"format": {FORMAT}}} into it if a kaicep of this version made the archive',
        ) from error
    if newer:
        raise ArchiveError(
            f"the archive has format {found}, and this kaicep knows {FORMAT}",
            place=Place(str(root)),
            hint="upgrade kaicep, or choose another path under [archive]",
        )
