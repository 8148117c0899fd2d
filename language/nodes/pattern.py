"""The pattern of SEQ, and the windows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from ..source_text import Span
from .expression import Expression


class Link(StrEnum):
    """Which events may be passed over between an element and the next (docs/semantics.md 3.7)."""

    ANY = "->>"
    NEXT = "->"
    STRICT = "=>"


@dataclass(frozen=True, slots=True)
class Quantifier:
    """How often something is repeated.

    Attributes:
        minimum: at least so often, 0 or more.
        maximum: at most so often; `None`: unbounded.
        link: the link between repetitions, by POLICY when the text names none.
        every_length: `~` or `->>` inside: each length is a run of its own.
        until: the condition that ends the element; `None` when there is none.
    """

    minimum: int
    maximum: int | None
    link: Link
    every_length: bool
    until: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Element:
    """One event variable, perhaps quantified."""

    variable: str
    quantifier: Quantifier | None
    span: Span


@dataclass(frozen=True, slots=True)
class Negation:
    """`NOT ?n`, perhaps `FOR` a duration.

    Attributes:
        variable: n.
        duration: of FOR.
        since: as operators run it, how long after the event before it the interval begins: behind a timer, with that.
        timer: as operators run it, `AFTER duration`, of which no event is a candidate, or `EVERY duration UNTIL ?n`.
        every: as operators run it, of EVERY and a NOT before one: the interval goes on, and is asked again after each
            such period.
    """

    variable: str
    duration: timedelta | None
    span: Span
    since: timedelta = timedelta(0)
    timer: bool = False
    every: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Timer:
    """`AFTER duration`; with `until`, `EVERY duration UNTIL ?b`. It binds nothing (LANGUAGE-2 §8)."""

    duration: timedelta
    until: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """A pattern in parentheses that is quantified; a plain parenthesis leaves no trace."""

    pattern: Pattern
    quantifier: Quantifier
    span: Span


@dataclass(frozen=True, slots=True)
class Conjunction:
    """`P AND Q`: all parts, in any order or interleaved."""

    parts: tuple[Pattern, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Alternative:
    """`P OR Q`: one of the branches."""

    branches: tuple[Pattern, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Sequence:
    """`P link Q link R`: `links[i]` stands between `parts[i]` and `parts[i + 1]`; `,` is already resolved."""

    parts: tuple[Pattern, ...]
    links: tuple[Link, ...]
    span: Span


Pattern = Element | Negation | Timer | Group | Conjunction | Alternative | Sequence


@dataclass(frozen=True, slots=True)
class CorrelationWindow:
    """`WINDOW (?a, ?b, …, w)`: max T − min T ≤ `width` over the events bound to the variables.

    Attributes:
        variables: those that are matched.
        width: at most so long.
        negated: those under NOT that it names besides; they bind nothing.
    """

    variables: tuple[str, ...]
    width: timedelta
    span: Span
    negated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """`WINDOW (?e, sliding, extent)`: a duration, or an `int` number of events; `shared`: one over all groups."""

    variable: str
    extent: timedelta | int
    span: Span
    shared: bool = False


@dataclass(frozen=True, slots=True)
class BatchWindow:
    """`WINDOW (?e, batch, extent)`: tumbling. `start`: `None` the epoch, `"first"` the first candidate, or a moment."""

    variable: str
    extent: timedelta | int
    start: Literal["first"] | datetime | None
    span: Span


@dataclass(frozen=True, slots=True)
class HoppingWindow:
    """`WINDOW (?e, hopping, size, step)`."""

    variable: str
    size: timedelta | int
    step: timedelta | int
    span: Span


@dataclass(frozen=True, slots=True)
class CumulateWindow:
    """`WINDOW (?e, cumulate, size, step)`."""

    variable: str
    size: timedelta
    step: timedelta
    span: Span


@dataclass(frozen=True, slots=True)
class SessionWindow:
    """`WINDOW (?e, session, gap)`."""

    variable: str
    gap: timedelta
    span: Span


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """`WINDOW (?e, CONTEXT)`: all candidates of a window of the query's contexts, reported when that ends."""

    variable: str
    span: Span


@dataclass(frozen=True, slots=True)
class CheckWindow:
    """`WINDOW (?e, CHECK (c), extent)`: the latest candidates, of which the oldest leave until `c` holds.

    Attributes:
        variable: whose candidates they are.
        condition: over the window, aggregates, and over its last event, plain attributes.
        extent: bounds it besides; `None`: nothing does.
        shared: one window over all groups.
    """

    variable: str
    condition: Expression
    extent: timedelta | int | None
    span: Span
    shared: bool = False


Window = (
    CorrelationWindow
    | SlidingWindow
    | BatchWindow
    | HoppingWindow
    | CumulateWindow
    | SessionWindow
    | ContextWindow
    | CheckWindow
)
