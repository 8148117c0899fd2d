"""What is said of one row: in which windows of contexts it lies, who opened these, and what the row changes itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

__all__ = ["KnownRow", "LyingWindow", "Opener", "OpenerKind", "RowExplanation"]


@dataclass(frozen=True, slots=True)
class KnownRow:
    """A row, most often of a query that changes contexts.

    Attributes:
        query: its label.
        time: of the row.
        id: of the row; that it is explained by in turn.
        events: the ids of its events, by variable.
        contexts: those that it lies in itself.
        values: its items.
    """

    query: str
    time: datetime
    id: str
    events: Mapping[str, tuple[str, ...]]
    contexts: tuple[str, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)


class OpenerKind(StrEnum):
    """Who opens a window."""

    ROW = "row"
    CALENDAR = "calendar"
    DEFAULT = "default"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Opener:
    """Who opened a window.

    Attributes:
        kind: of what it was.
        row: of a deriving query that opened it; of a window of the default the one that ended what held before.
        note: where nothing else tells it, in words.
    """

    kind: OpenerKind
    row: KnownRow | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class LyingWindow:
    """A window of a context that a row lies in.

    Attributes:
        set: the name of the set.
        context: that of the context.
        key: of its partition, by the names of the set's keys.
        since: when it began, as people see it (a calendar's stretch holds from its beginning on, any other window what
            is later); `None`: it was always there.
        until: when it ended; `None`: it was open at the end of what is known.
        values: its attributes.
        opener: who opened it.
    """

    set: str
    context: str
    key: Mapping[str, object]
    since: datetime | None
    until: datetime | None
    values: Mapping[str, object]
    opener: Opener


@dataclass(frozen=True, slots=True)
class RowExplanation:
    """In which contexts a row lies.

    Attributes:
        query: the label of the query that gave it.
        id: of the row.
        time: likewise.
        events: the ids of its events, by variable.
        windows: those that it lies in, in the order of the contexts after IN CONTEXT.
        change: of a row of a deriving query, what it does, as the language says it.
        effect: what came of that.
        notes: what could not be found out, and why.
    """

    query: str
    id: str
    time: datetime
    events: Mapping[str, tuple[str, ...]]
    windows: tuple[LyingWindow, ...]
    change: str | None = None
    effect: str | None = None
    notes: tuple[str, ...] = ()
