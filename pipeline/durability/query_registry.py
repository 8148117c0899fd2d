"""Which queries are registered, and since when: what no log can tell when a snapshot is lost; which are to go on."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from ...storage import make_folder, write_atomically
from ..flow import Registration


class QueryRegistry:
    """The registered queries of an engine in one JSON file.

    Args:
        path: the file; its folder is made by `write`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, registrations: Sequence[Registration]) -> None:
        """Make the registrations durable."""
        make_folder(self._path.parent)
        content = {
            r.label: {"query": r.query.normal, "now": None if r.now is None else r.now.isoformat()}
            for r in registrations
        }
        with write_atomically(self._path) as temporary:
            temporary.write_text(json.dumps(content, indent=1), encoding="utf-8")

    def read(self, queries: Sequence[Registration]) -> list[Registration]:
        """Those of the queries that were registered, with the moment of their registration."""
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return []
        return [
            Registration(q.query, q.label, None if known["now"] is None else datetime.fromisoformat(known["now"]))
            for q in queries
            if (known := content.get(q.label)) is not None and known["query"] == q.query.normal
        ]


class Resumptions:
    """The parked queries that somebody has resumed and that have not gone on yet, in one JSON file.

    Args:
        path: the file; its folder is made when it is written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def read(self) -> tuple[str, ...]:
        """Their labels; a file that cannot be read has none: whoever resumed them sees that they are parked still."""
        try:
            return tuple(map(str, json.loads(self._path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, TypeError):
            return ()

    def add(self, labels: Iterable[str]) -> None:
        """Note some more; when this returns, they survive a crash of the machine."""
        with self._lock:
            self._write(dict.fromkeys([*self.read(), *labels]))

    def remove(self, labels: Collection[str]) -> None:
        """Forget those that go on."""
        if labels:
            with self._lock:
                self._write([label for label in self.read() if label not in labels])

    def _write(self, labels: Collection[str]) -> None:
        if not labels:
            self._path.unlink(missing_ok=True)
            return
        make_folder(self._path.parent)
        with write_atomically(self._path) as temporary:
            temporary.write_text(json.dumps(list(labels)), encoding="utf-8")
