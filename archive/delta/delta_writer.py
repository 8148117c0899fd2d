"""The background writer of tables of Delta Lake: behind the log, which waits for nothing."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ...errors import ArchiveError
from ..log import Position
from .delta_copy import DeltaCopy
from .delta_table import StorageAwayError

__all__ = ["DeltaLag", "DeltaWriter"]

_LOG = logging.getLogger("kaicep")
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 30.0


@dataclass(frozen=True, slots=True)
class DeltaLag:
    """What the logs have that the tables lack.

    Attributes:
        events: so many.
        matches: likewise.
        reason: why they cannot be written now; `None`: they can, as far as is known.
    """

    events: int
    matches: int
    reason: str | None = None


class DeltaWriter:
    """Copies what is in logs, on a thread of its own; after a crash it goes on where the tables are.

    What cannot be copied is told once, and tried again and again: the stream goes on.

    Args:
        copies: of the log of events, and of that of matches; the archive is locked.
        streams: whose tables are looked at before anything is written, beside those in the logs.

    Raises:
        ArchiveError: a table is none of this archive.
    """

    def __init__(self, copies: Sequence[DeltaCopy], streams: Iterable[str]) -> None:
        self._copies = copies
        self._changed = threading.Condition()
        self._lag = DeltaLag(0, 0)
        self._behind, self._stopping, self._said = True, False, ""
        try:
            for copy, names in zip(copies, (streams, ()), strict=True):
                copy.check(names)
        except StorageAwayError as error:
            self._say(error)
        self._thread = threading.Thread(target=self._run, name="kaicep-delta-writer", daemon=True)
        self._thread.start()

    def notify(self) -> None:
        """Say that there is more in a log."""
        with self._changed:
            self._behind = True
            self._changed.notify_all()

    @property
    def held(self) -> tuple[Position | None, ...]:
        """Of each log, up to where the tables have all of it."""
        return tuple(copy.held for copy in self._copies)

    @property
    def lag(self) -> DeltaLag:
        """How far the tables are behind; while the log cannot be read, as far as it was known last."""
        reason = self._said or None
        try:
            events, matches = (copy.lag for copy in self._copies)
            self._lag = DeltaLag(events, matches)
        except ArchiveError as error:
            reason = str(error)
        return replace(self._lag, reason=reason)

    def close(self) -> None:
        """Copy what is there, if it can be, and stop."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        pause = _FIRST_PAUSE_S
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._behind or self._stopping)
                last, self._behind = self._stopping, False
            if self._copied():
                pause = _FIRST_PAUSE_S
            else:
                with self._changed:
                    self._behind = True
                    self._changed.wait_for(lambda: self._stopping, 0 if last else pause)
                pause = min(2 * pause, _LONGEST_PAUSE_S)
            if last:
                return

    def _copied(self) -> bool:
        """Copy what there is; tell whether it went well."""
        faults: list[Exception] = []
        for copy in self._copies:
            try:
                copy.catch_up()
            except (ArchiveError, StorageAwayError) as error:
                faults.append(error)
            except BaseException as error:  # noqa: BLE001  # whatever ends it has to be told: the stream goes on
                faults.append(StorageAwayError(f"{type(error).__name__}: {error}"))
        if faults:
            self._say(faults[0])
        elif self._said:
            self._said = ""
            _LOG.warning("the tables of Delta Lake have all of the log again")
        return not faults

    def _say(self, error: Exception) -> None:
        """Warn, once for each thing that is wrong."""
        if str(error) != self._said:
            self._said = str(error)
            _LOG.warning("Delta Lake: %s; the log goes on, and the tables catch up later", error)
