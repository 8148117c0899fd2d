"""The tables of an automaton: states, the transitions that lead on from each, and final states.

A partial match is in one state; what it remembers beside its events are its registers, a tuple.
Source: Flink CEP's `State`, `StateTransition` (take, ignore, proceed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ....language.nodes import Link
from ..automaton import BranchChoice, ItemSet, RepetitionKey
from .registers import Lookahead, Register

__all__ = ["Advance", "FinalState", "Moves", "RegisterValues", "State", "TakeFunction", "Target", "Transition"]

RegisterValues = tuple[Any, ...]
"""The registers of a partial match; the first two are T and the number of its first event."""

TakeFunction = Callable[[RegisterValues | None, tuple[Any, ...], Any], RegisterValues | None]
"""From a partial match's registers, an event and the buffers of its partition: the registers with the event.

`None`: the event does not satisfy the conditions.
"""

Advance = Callable[[Iterable[Any], tuple[Any, ...], Any, int, list[Any]], list[Any]]
"""The same for all partial matches of a state, those that the event leads on from appended to a list.

Gets partial matches, the event, the buffers, the place of the variable, and that list; gives the partial matches that
stay. Where partial matches of equal registers are one, it gets pairs of registers and nodes, and all stay.
"""


@dataclass(slots=True, eq=False)
class Target:
    """A state to which a transition leads.

    Attributes:
        state: the state.
        take: the function of the way there.
        conditions: what that asks, in χ-CEP.
    """

    state: State
    take: TakeFunction
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """Take an event for one variable.

    Attributes:
        variable: the variable.
        link: what may be ignored before it.
        leaves: greedy repetitions that it leaves; `inside`: those that it is part of.
        sides: the sides of ORs that it takes.
        targets: the states to which it leads; each is a partial match of its own.
        after_gap: the same when events were ignored since the match's last event.
    """

    variable: str
    link: Link
    leaves: frozenset[RepetitionKey]
    inside: frozenset[RepetitionKey]
    sides: tuple[BranchChoice, ...]
    targets: tuple[Target, ...]
    after_gap: tuple[Target, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The ways on from a state with an event of one variable.

    Attributes:
        transitions: the ways on.
        advance: takes all partial matches on, where each takes the event in one way if at all; `None`: `transitions`
            have to be chosen from.
    """

    transitions: tuple[Transition, ...]
    advance: Advance | None


@dataclass(frozen=True, slots=True, eq=False)
class FinalState:
    """An end of the pattern, to which a state proceeds without an event.

    Attributes:
        place: the number of its state, and which of its ends it is.
        leaves: greedy repetitions that could be prolonged, and whose end has to be awaited.
        holds: whether a partial match with its last event at `t` is a match, of EVERY at a moment `m`, having been one
            at a moment `o` before; `None`: it is.
        due: the last moment that its NOTs look at; `None`: its last event.
        awaits: the number of the event whose very next one its NOTs look at; `None`: none.
        rest: what JOINs with variables that SEQ does not name look at beside the events: the sides of ORs, and the
            candidates of each of `PatternConditions.doubtful`; `None`: there are no such JOINs.
        conditions: what is asked, in χ-CEP.
    """

    place: tuple[int, int]
    leaves: frozenset[RepetitionKey]
    holds: Callable[[RegisterValues, int, Any, int, int], bool] | None
    due: Callable[[RegisterValues, int], int] | None
    awaits: Callable[[RegisterValues], int] | None
    rest: Callable[[RegisterValues, int, Any, int], tuple[Any, tuple[tuple[Any, ...], ...]]] | None
    conditions: tuple[str, ...]


@dataclass(slots=True, eq=False)
class State:
    """A state of the automaton, with what it takes to go on from it.

    Attributes:
        number: by the order in which states were made.
        origin: how it was made: from which state, and by which of its ways on.
        items: what may come next.
        ahead: what may still happen.
        live: the registers that are looked at from here on.
        finals: the final states that it proceeds to.
        held: whether an end waits until nothing can be prolonged.
        merges: whether partial matches of equal registers are one.
        relaxed: whether every element may be ignored, so that no event can end a partial match.
        deadline: the last moment at which an event can be of use to a partial match.
        moves: the ways on, by the place of the variable; those that were asked for.
        open: whether anything leads on from it.
    """

    number: int
    origin: tuple[int, ...]
    items: ItemSet
    ahead: Lookahead
    live: frozenset[Register]
    finals: tuple[FinalState, ...] = ()
    held: bool = False
    merges: bool = False
    relaxed: bool = False
    deadline: Callable[[RegisterValues], int] = field(default=lambda _: 0)
    moves: dict[int, Moves] = field(default_factory=dict)
    open: bool = True
