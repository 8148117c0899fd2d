"""Where tasks write segments of the logs: what attempts have left there that did not count (docs/decisions/308)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...storage import StoragePath
from ..sharding import HostedBatch

__all__ = ["AttemptFolders"]


class AttemptFolders:
    """The folders in which tasks have written for the last batch.

    Args:
        logs: what the logs lie in: of what was before this process is known only that it is there.
    """

    def __init__(self, logs: Iterable[StoragePath]) -> None:
        self._logs = tuple(logs)
        self._known: frozenset[StoragePath] | None = None

    def note(self, found: HostedBatch, *, first: bool) -> None:
        """Know where tasks have written for a batch.

        Args:
            found: what they say, of a piece of it.
            first: it is the first piece.
        """
        before = frozenset[StoragePath]() if first or self._known is None else self._known
        events = [report.path for report in found.segments.values() if report.path is not None]
        matches = [rows.logged for rows in found.written.values() if rows.logged is not None]
        self._known = before | {path.parent for path in (*events, *matches)}

    def __iter__(self) -> Iterator[StoragePath]:
        """Where something may be left of the batch before, or of any one before this process began."""
        if self._known is not None:
            return iter(self._known)
        return (one for log in self._logs if log.is_dir() for one in log.iterdir() if one.is_dir())
