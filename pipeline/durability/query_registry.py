"""Which queries are registered, and since when: what no log can tell when a snapshot is lost; what is asked of them."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from ...storage import make_folder, read_mirrored, write_atomically, write_mirrored
from ..flow import Registration
from .withdrawn_notes import RegistrationNote, registration_note

_LOG = logging.getLogger("kaicep")


class QueryRegistry:
    """The registered queries of an engine in one JSON file, which is mirrored.

    Args:
        path: the file; its folder is made by `write`.
        say: takes a line of the log.
    """

    def __init__(self, path: Path, say: Callable[[str], None] = _LOG.info) -> None:
        self._path, self._say = path, say
        self._damaged = False

    @property
    def damaged(self) -> bool:
        """Whether the file was found damaged, and not written since: the snapshots know the queries too."""
        return self._damaged

    def write(self, registrations: Sequence[Registration]) -> None:
        """Make the registrations durable, also those of withdrawn queries whose changes of contexts still count."""
        content = {registration.label: registration_note(registration) for registration in registrations}
        write_mirrored(self._path, json.dumps(content, indent=1).encode())
        self._damaged = False

    def read(self, queries: Sequence[Registration]) -> list[Registration]:
        """Those of the queries that were registered, with the moment of their registration."""
        notes = self.notes() or {}
        found = [(q, notes[q.label]) for q in queries if q.label in notes]
        return [Registration(q.query, q.label, _moment(n["now"])) for q, n in found if n["query"] == q.query.normal]

    def notes(self) -> dict[str, RegistrationNote] | None:
        """What the file says of each registration, by label; `None`: nothing. That it cannot be read is told."""
        try:
            content: dict[str, RegistrationNote] = json.loads(read_mirrored(self._path))
            for note in content.values():
                _ = note["query"], _moment(note["now"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            if not self._damaged:
                self._say(f"recovery: {self._path} cannot be read ({error}); it is made anew from the snapshots")
            self._damaged = True
            return None
        return content


class RequestedQueries:
    """Queries of which somebody has asked something that no batch border has done yet, in one JSON file.

    Args:
        path: the file; its folder is made when it is written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def read(self) -> dict[str, str | None]:
        """By label, who asked, if that is known.

        A file that cannot be read has none: whoever asked sees that nothing has come of it.
        """
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            return {str(label): by for label, by in found.items()}
        except (OSError, ValueError, AttributeError):
            return {}

    def add(self, asked: Mapping[str, str | None]) -> None:
        """Note some more; when this returns, they survive a crash of the machine."""
        with self._lock:
            self._write({**self.read(), **asked})

    def remove(self, labels: Collection[str]) -> None:
        """Forget some, of which it is done or not asked any more."""
        if labels:
            with self._lock:
                self._write({label: by for label, by in self.read().items() if label not in labels})

    def _write(self, asked: Mapping[str, str | None]) -> None:
        if not asked:
            self._path.unlink(missing_ok=True)
            return
        make_folder(self._path.parent)
        with write_atomically(self._path) as temporary:
            temporary.write_text(json.dumps(asked), encoding="utf-8")


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
