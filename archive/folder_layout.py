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
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path

from ..errors import ArchiveError, Place
from ..storage import make_folder, write_atomically

FORMAT = 4
"""1 had one segment per batch, 2 no matches, 3 a JSON file per batch that moved watermarks, and JSON in the footers of
segments; their archives are read, and become of this format when next written."""
LOG, IDLE_WATERMARKS, STORE, SNAPSHOTS = "log", "advances", "store", "snapshots"
MATCHES, PROVENANCES = "matches", "origins"
SPOOL, IDENTITY, QUARANTINE = "intake", "identity", "quarantine"
LOCK = ".lock"
TAKEN = "taken.json"
_VERSION_FILE = "format.json"


def prepare(root: Path) -> None:
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


def archive_identity(root: Path) -> str:
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


def require_archive(root: Path) -> None:
    """Refuse a folder that is no archive.

    Raises:
        ArchiveError: there is none, or a newer kaicep wrote it.
    """
    if not (root / LOG).is_dir():
        raise ArchiveError("there is no archive", place=Place(str(root)), hint="run the project first")
    check_version(root)


def has_intake(archive: Path) -> bool:
    """Whether an archiver has kept events beside the log of an archive's folder."""
    return (archive / SPOOL).is_dir()


def has_segments(root: Path) -> bool:
    """Whether an archive's folder holds events; nothing is opened."""
    return any((root / LOG).glob("*/*.parquet"))


def check_version(root: Path) -> None:
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
