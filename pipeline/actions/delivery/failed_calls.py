"""Calls that nobody took however often they were tried: the dead letters of actions, until they are tried again."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import pyarrow as pa

from .checked_lines import append_lines, broken_lines, lines_of, write_lines

__all__ = ["FailedCall", "FailedCalls", "table_of"]

_LOG = logging.getLogger("kaicep")


@dataclass(frozen=True, slots=True)
class FailedCall:
    """One of them.

    Attributes:
        action: whom it is for.
        rule: that made it.
        id: which of its calls it is.
        time: of the row that it is made for, as ISO 8601.
        arguments: a JSON object.
        tries: how often it was tried.
        reason: why it failed last.
        at: when, as ISO 8601.
    """

    action: str
    rule: str
    id: str
    time: str
    arguments: str
    tries: int
    reason: str
    at: str


class FailedCalls:
    """The dead letters of a folder; that some of them are damaged is told when it is seen, also in a file in use.

    Args:
        path: of their file.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lost = path, 0
        self.counts: Counter[str] = Counter(call.action for call in self.calls())

    def add(self, calls: Sequence[FailedCall]) -> None:
        """Keep calls; when this returns, they survive a power cut."""
        append_lines(self._path, map(asdict, calls), sync=True)
        self.counts.update(call.action for call in calls)

    def calls(self) -> list[FailedCall]:
        """All of them, each once, the last one that failed last."""
        self._tell_lost()
        found: dict[tuple[str, str, str], FailedCall] = {}
        for line in lines_of(self._path):
            call = FailedCall(**line)
            key = call.action, call.rule, call.id
            found.pop(key, None)
            found[key] = call
        return list(found.values())

    def keep(self, wanted: Callable[[FailedCall], bool]) -> None:
        """Forget all but some, durably; a file with damaged lines is kept beside the new one, to be looked at."""
        kept = [call for call in self.calls() if wanted(call)]
        if broken_lines(self._path):
            aside = self._path.with_suffix(".damaged")
            self._path.rename(aside)
            _LOG.warning("%s: what is left of its damaged lines is in %s", self._path, aside.name)
        self._lost = 0
        write_lines(self._path, map(asdict, kept))
        self.counts = Counter(call.action for call in kept)

    def _tell_lost(self) -> None:
        lost, before = broken_lines(self._path), self._lost
        self._lost = lost
        if lost > before:
            _LOG.warning("%s: %d lines are damaged: so many calls that had failed are lost", self._path, lost)


def table_of(calls: Sequence[FailedCall], schema: pa.Schema) -> pa.Table:
    """Calls as rules have made them."""
    columns: Mapping[str, list[object]] = {
        "rule": [call.rule for call in calls],
        "_id": [call.id for call in calls],
        "action": [call.action for call in calls],
        "_time": [datetime.fromisoformat(call.time) for call in calls],
        "arguments": [call.arguments for call in calls],
    }
    return pa.table(columns, schema=schema)
