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
    """The dead letters of a folder.

    Args:
        path: of their file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.counts: Counter[str] = Counter(call.action for call in self.calls())
        if lost := broken_lines(path):
            _LOG.warning("%s: %d lines are damaged: so many calls that had failed are lost", path, lost)

    def add(self, calls: Sequence[FailedCall]) -> None:
        """Keep calls; when this returns, they survive a power cut."""
        append_lines(self._path, map(asdict, calls), sync=True)
        self.counts.update(call.action for call in calls)

    def calls(self) -> list[FailedCall]:
        """All of them, each once, the last one that failed last."""
        found: dict[tuple[str, str, str], FailedCall] = {}
        for line in lines_of(self._path):
            call = FailedCall(**line)
            key = call.action, call.rule, call.id
            found.pop(key, None)
            found[key] = call
        return list(found.values())

    def keep(self, wanted: Callable[[FailedCall], bool]) -> None:
        """Forget all but some, durably."""
        kept = [call for call in self.calls() if wanted(call)]
        write_lines(self._path, map(asdict, kept))
        self.counts = Counter(call.action for call in kept)


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
