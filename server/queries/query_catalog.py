"""What is registered, as the server knows it: read again when something of it has changed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ...api.clients import engine_lives, known_status
from ...config import Settings
from ...errors import PipelineError, did_you_mean
from ...pipeline import query_files
from ...pipeline.control import folder_of
from ...pipeline.monitoring import QueryStatus, status_file
from ..problem import ProblemError
from .project_processes import ProjectProcesses
from .query_listing import ListedQuery, listed_queries, with_status

__all__ = ["QueryCatalog"]

_Seen = tuple[bool, tuple[tuple[str, int, int], ...]]


class QueryCatalog:
    """The registered queries of a project.

    Args:
        settings: of the project.
        processes: that read it.
    """

    def __init__(self, settings: Settings, processes: ProjectProcesses) -> None:
        self._settings, self._processes = settings, processes
        self._reading = threading.Lock()
        self._known: tuple[_Seen, list[ListedQuery]] | None = None
        self._begun = 0
        self._latest: tuple[int, list[ListedQuery]] | None = None

    def queries(self) -> list[ListedQuery]:
        """All of them, as they fare now.

        Raises:
            ProblemError: a query of the project file is wrong, or nobody answers in time.
        """
        before = self._begun
        with self._reading:
            # A tenth of a second each, one after the other: who came before this one began has its answer.
            if self._latest is None or self._latest[0] <= before:
                self._begun += 1
                self._latest = self._begun, self._read()
            return self._latest[1]

    def _read(self) -> list[ListedQuery]:
        lives = engine_lives(self._settings)
        seen = (lives, tuple(self._files(lives=lives)))
        if self._known is None or self._known[0] != seen:
            self._known = seen, self._processes.ask(listed_queries, lives=lives)
        known = self._known[1]
        told = self._told()
        if self._told_before_the_last_change():  # it still has what was withdrawn since
            told = {one.label: told[one.label] for one in known if one.label in told}
        return with_status(known, told, lives=lives)

    def query(self, label: str) -> ListedQuery:
        """One of them.

        Raises:
            ProblemError: 404, there is none of that label; or as `queries`.
        """
        known = {one.label: one for one in self.queries()}
        if label not in known:
            hint = did_you_mean(label, sorted(known)) or f"registered: {', '.join(sorted(known)) or 'none'}"
            raise ProblemError(404, PipelineError(f"no query '{label}' is registered", hint=hint))
        return known[label]

    def _told(self) -> dict[str, QueryStatus]:
        with suppress(PipelineError):  # no engine of this version has run
            return dict(known_status(self._settings).status.queries)
        return {}

    def _told_before_the_last_change(self) -> bool:
        """Whether the status is older than the last document that was submitted or withdrawn."""
        with suppress(OSError):
            told = status_file(self._settings.path(self._settings.engine.state)).stat()
            return told.st_mtime_ns < (folder_of(self._settings) / "documents").stat().st_mtime_ns
        return False

    def _files(self, *, lives: bool) -> Iterator[tuple[str, int, int]]:
        """What the answer depends on, each with its time and size."""
        documents = folder_of(self._settings) / "documents"
        state = self._settings.path(self._settings.engine.state)
        paths = [documents, *documents.glob("*"), state / "ontology" / "changes.json"]
        with suppress(PipelineError, OSError):
            paths += query_files(self._settings)
        paths += [self._settings.path(name) for name in self._settings.knowledge.modules if name.endswith(".ttl")]
        asked = [folder_of(self._settings) / name for name in ("parkings.json", "resumptions.json")]
        for path in [*paths, *([] if lives else [status_file(state), *asked])]:
            with suppress(OSError):
                yield _version(path)


def _version(path: Path) -> tuple[str, int, int]:
    found = path.stat()
    return str(path), found.st_mtime_ns, found.st_size
