"""The windows of one set of contexts, from the rows that tell its changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pyarrow as pa

from ...cep import NO_END, NO_START
from ...cep.contexts import Change, ContextHistory, HeldWindow
from ...cep.order import UNBOUNDED
from ...expressions import micros, moment_of
from ...language.nodes import ChangeKind, ContextSet
from ...pipeline.sinks import rows
from ...planner import resolve_bounds
from ..plain_json import plain_value

__all__ = ["ContextChronicle", "key_columns"]

_KEPT = 20_000
_KINDS = {"started": ChangeKind.INITIATE, "ended": ChangeKind.TERMINATE}


def key_columns(contexts: ContextSet) -> dict[str, str]:
    """By the name of a key, which may be the IRI of a property, the column that has it in rows of changes."""
    names = [key.name for key in contexts.keys]
    return {name: name if name.isidentifier() else f"key{number}" for number, name in enumerate(names)}


class ContextChronicle:
    """Keeps all windows that are open, and the latest of those that are over.

    Args:
        contexts: the set.
        kept: so many windows that are over; of what lies before them nothing is told.

    Attributes:
        set: likewise.
    """

    def __init__(self, contexts: ContextSet, kept: int = _KEPT) -> None:
        self.set, self._kept = contexts, kept
        self._history = ContextHistory(contexts)
        self._settled = self._history.mark()
        self._keys: dict[str, tuple[Any, ...]] = {}
        self._within = resolve_bounds(contexts.bounds, None).interval

    def take(self, changes: pa.Table) -> None:
        """Take the next changes.

        Args:
            changes: columns `context`, `change` (`started` or `ended`), of `key_columns`, and `_time`; in the order
                in which they were made. Those of the default follow from the others.
        """
        names = list(key_columns(self.set).values())
        for row in rows(changes):
            if row["context"] != self._history.default:
                values = tuple(row[name] for name in names)
                key = repr(values)
                self._keys[key] = values
                self._history.make([Change(micros(row["_time"]), _KINDS[row["change"]], row["context"], key, values)])

    def settle(self) -> None:
        """Let what was taken stand; the oldest is forgotten."""
        ended = self._history.ended
        self._history.forget(ended[-self._kept].until if len(ended) > self._kept else NO_START)
        self._history.turns.clear()
        self._settled = self._history.mark()

    def rewind(self) -> None:
        """Take back what was taken since `settle`."""
        self._history.rewind(self._settled)

    def windows(self, first: datetime, last: datetime, *, begun: bool = True) -> list[dict[str, Any]]:
        """The windows that hold at some moment of a time, of the partitions in which something has changed by then.

        Args:
            first: of the time.
            last: of it, up to which all was taken; what is open then has no end.
            begun: whether the first change that was taken is the first there was; otherwise nobody knows what held
                before the first of a partition.

        Returns:
            Of each `context`, `key` by name, `from` (its true begin, which may lie before `first`; null: always),
            `to` (null: it is open); in the order of their begins.
        """
        found = [window for window in self._holding(micros(first), micros(last)) if begun or window.start > NO_START]
        return [self._told(window, micros(last)) for window in sorted(found, key=lambda one: (one.start, one.end))]

    def _holding(self, first: int, last: int) -> Iterator[HeldWindow]:
        first, last = max(first, self._within.first), min(last, self._within.last)
        for key in self._keys:
            if key in self._history:
                for context in self.set.contexts:
                    held = self._history.windows(context.name, key, first, last + 1) if first <= last else []
                    yield from (window for window in held if window.since < window.until)

    def _told(self, window: HeldWindow, last: int) -> dict[str, Any]:
        start, end = window.start, window.end
        if self._within.first > -UNBOUNDED:  # before it no context holds
            start = max(start, self._within.first)
        names = [key.name for key in self.set.keys]
        return {
            "context": window.context,
            "key": {name: plain_value(value) for name, value in zip(names, self._keys[window.key], strict=True)},
            "from": None if start == NO_START else plain_value(moment_of(start)),
            "to": None if end == NO_END or window.until > last else plain_value(moment_of(end)),
        }
