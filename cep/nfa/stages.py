"""A state of the automaton as runs see it: what may come next, and the functions that take it.

A run is a tuple of slots in a stage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...language.nodes import Link
from .pattern_items import Key, Side, State
from .registers import Outlook, Slot

__all__ = ["Finish", "Run", "Stage", "Step", "Take"]

Run = tuple[Any, ...]
Take = Callable[[Run | None, tuple[Any, ...], Any], Run | None]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """An element that may come next.

    Attributes:
        link: what may be passed over before it.
        leaves: greedy repetitions that it leaves; `inside`: those that it is part of.
        sides: the sides of ORs that it takes.
        targets: functions, and the stages to which they lead; each is a run of its own.
        after_gap: the same when events were passed over since the run's last event.
        simple: whether a run takes an event in one way, and goes on with it alone.
    """

    link: Link
    leaves: frozenset[Key]
    inside: frozenset[Key]
    sides: tuple[Side, ...]
    targets: tuple[tuple[Take, Stage], ...]
    after_gap: tuple[tuple[Take, Stage], ...]
    simple: bool


@dataclass(frozen=True, slots=True, eq=False)
class Finish:
    """An end of the pattern.

    Attributes:
        place: the number of its stage, and which of its ends it is.
        leaves: greedy repetitions that could be prolonged, and whose end has to be awaited.
        holds: whether a run with its last event at `t` is a match; `None`: it is.
        due: the last moment that its NOTs look at; `None`: its last event.
        awaits: the number of the event whose very next one its NOTs look at; `None`: none.
        rest: what JOINs with variables that SEQ does not name look at beside the events: the sides of ORs, and the
            candidates of each of `Program.doubtful`; `None`: there are no such JOINs.
    """

    place: tuple[int, int]
    leaves: frozenset[Key]
    holds: Callable[[Run, int, Any], bool] | None
    due: Callable[[Run, int], int] | None
    awaits: Callable[[Run], int] | None
    rest: Callable[[Run, int, Any], tuple[Any, tuple[tuple[Any, ...], ...]]] | None


@dataclass(slots=True, eq=False)
class Stage:
    """A state of the automaton, with what it takes to go on from it.

    Attributes:
        number: by the order in which stages were made.
        origin: how it was made: from which stage, and by which of its ways on.
        state: its threads.
        view: what may still happen.
        live: the slots that are looked at from here on.
        finishes: its ends.
        held: whether an end waits until nothing can be prolonged.
        merges: whether runs of equal slots are one.
        relaxed: whether every element may be passed over, so that no event can end a run.
        deadline: the last moment at which an event can be of use to a run.
    """

    number: int
    origin: tuple[int, ...]
    state: State
    view: Outlook
    live: frozenset[Slot]
    finishes: tuple[Finish, ...] = ()
    held: bool = False
    merges: bool = False
    relaxed: bool = False
    deadline: Callable[[Run], int] = field(default=lambda _: 0)
    steps: dict[int, tuple[Step, ...]] = field(default_factory=dict)
    open: bool = True
