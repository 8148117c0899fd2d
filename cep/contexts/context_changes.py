"""Windows of contexts and what changes them, as values (CAESAR §3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...language.nodes import ChangeKind
from ..partitions import NO_START

__all__ = ["Change", "HeldWindow", "PartitionHistory", "Turn"]


@dataclass(frozen=True, slots=True)
class HeldWindow:
    """A window of a context in one partition.

    Attributes:
        context: its name.
        key: the partition.
        since: it holds the events after that, in microseconds; `NO_START`: it was always there.
        until: and those up to that; `NO_END`: it is open.
        start: where it begins as people see it: a calendar's stretch holds from its beginning on.
        end: likewise.
        values: its attributes.
    """

    context: str
    key: str
    since: int
    until: int
    start: int
    end: int
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Change:
    """What a row of a deriving query does at a moment.

    Attributes:
        time: in microseconds.
        kind: of the change.
        context: what it changes.
        key: in which partition.
        keys: the values of the set's keys there, for people.
        values: attributes of the window that it opens.
        windows: numbers of the windows in which the row's match lies.
        order: the contexts after IN CONTEXT; SWITCH ends windows in that order.
    """

    time: int
    kind: ChangeKind
    context: str
    key: str
    keys: tuple[Any, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    windows: tuple[int, ...] = ()
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A context that has started or ended, as `CONTEXTS(…)` tells it."""

    time: int
    context: str
    change: str
    since: int
    keys: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PartitionHistory:
    """What is known of a partition in which something has changed.

    Attributes:
        keys: the values of the set's keys.
        ended: the windows that queries have begun and ended, by their ends; those of long ago are forgotten.
        open: those that have not ended.
        free: the default may hold after that; `NO_START`: from the beginning.
    """

    keys: tuple[Any, ...]
    ended: tuple[HeldWindow, ...] = ()
    open: tuple[HeldWindow, ...] = ()
    free: int = NO_START

    @property
    def windows(self) -> tuple[HeldWindow, ...]:
        """All of them."""
        return self.ended + self.open

    def open_of(self, context: str) -> HeldWindow | None:
        """The window of a context that is open."""
        return next((window for window in self.open if window.context == context), None)
