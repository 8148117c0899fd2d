"""Contexts: situations that hold for a while in each partition, and what queries have to do with them (CAESAR §3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ..source_text import SourceText, Span
from .bounds import Bounds
from .expression import Expression
from .types import ValueType

WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
"""What a calendar's text calls the days, in the order of their numbers."""
MINUTES_A_DAY = 24 * 60
"""On the wall, where each day has as many."""


@dataclass(frozen=True, slots=True)
class CalendarStretch:
    """From one time of the day to another, on some days of the week.

    Attributes:
        days: on which it begins, Monday is 0; ascending.
        begin: minutes since midnight, on the wall of the calendar's zone.
        end: likewise, above `begin`; beyond 1,440 it lies on the next day.
    """

    days: tuple[int, ...]
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Calendar:
    """`DURING 'Mon-Fri 08:00-18:00' TIMEZONE 'Europe/Rome'`; the zone is an IANA name, `UTC` where none is given."""

    stretches: tuple[CalendarStretch, ...]
    zone: str


@dataclass(frozen=True, slots=True)
class Context:
    """One context of a set; with a calendar it is that which holds by the clock, and no query changes it."""

    name: str
    calendar: Calendar | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ContextKey:
    """A key of BY: the name of an attribute, or the IRI of a property.

    Its type is that which its values are brought to; `TERM` where no stream has it and nothing yet said what it is.
    """

    name: str
    type: ValueType


@dataclass(frozen=True, slots=True)
class ContextSet:
    """CREATE CONTEXTS: situations of which one set holds in each partition.

    Attributes:
        name: of the set.
        contexts: in the order of the text; the first is the default, which holds when no other does.
        keys: what makes the partitions; empty: there is one.
        bounds: WITHIN; before its lower bound no context holds.
        normal: the normalised text. Equal texts mean equal sets.
        document: the text that its spans point into, for messages.
    """

    name: str
    contexts: tuple[Context, ...]
    keys: tuple[ContextKey, ...]
    bounds: Bounds
    normal: str
    span: Span = field(compare=False)
    document: SourceText | None = field(default=None, compare=False, repr=False)

    @property
    def default(self) -> Context:
        """The context that holds when no other does."""
        return self.contexts[0]

    @property
    def changes_stream(self) -> str:
        """What the stream of its changes is called."""
        return f"CONTEXTS({self.name})"

    def context(self, name: str) -> Context | None:
        """The context of that name."""
        return next((context for context in self.contexts if context.name == name), None)


@dataclass(frozen=True, slots=True)
class ContextReference:
    """A context by the name of its set; `variable` is what AS calls its windows, without `?`."""

    set: str
    context: str
    variable: str | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """Which partition of a set an event belongs to.

    Attributes:
        variable: the event variable.
        set: name of the context set.
        keys: an expression for each key, over this variable and the semantic variables of its PATHs: what ON says, else
            the columns that the keys name.
    """

    variable: str
    set: str
    keys: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class InContext:
    """IN CONTEXT of a query.

    Attributes:
        contexts: in the order of the text.
        required: the event variables of FOR, whose events have to lie in one window; empty without FOR: all events of
            a match, and all that a NOT, a timer or an aggregate looks at.
        placements: for each set and each event variable that has to lie in a window.
        grouped: whether matches may be looked for once for all the windows that overlap.
        together: whether equal queries in other contexts may be answered together with this one.
        pushed_down: whether events that lie in no window are left out before FILTER and PATH are asked.
    """

    contexts: tuple[ContextReference, ...]
    required: tuple[str, ...]
    placements: tuple[Placement, ...]
    span: Span = field(compare=False)
    grouped: bool = True
    pushed_down: bool = True
    together: bool = True

    @property
    def sets(self) -> tuple[str, ...]:
        """Names of the sets, each once."""
        return tuple(dict.fromkeys(reference.set for reference in self.contexts))


class ChangeKind(StrEnum):
    """What a deriving query does to a context."""

    INITIATE = "INITIATE"
    SWITCH = "SWITCH"
    TERMINATE = "TERMINATE"


@dataclass(frozen=True, slots=True)
class ContextChange:
    """The change that each row of a deriving query makes at its `_time`.

    Attributes:
        kind: of the change.
        context: what it changes.
        keys: names of the query's hidden items that are the partition, one for each key of the set.
    """

    kind: ChangeKind
    context: ContextReference
    keys: tuple[str, ...]
