"""The automaton of a query as a table for readers: all states, and what leads from each to which (Flink's terms)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ....language.nodes import Link, Query
from ...order import Interval
from .compiled_pattern import CompiledPattern
from .states import State

__all__ = ["AutomatonTable", "Edge", "EdgeAction", "automaton_table"]

_MOST = 100  # states that a reader can look at


class EdgeAction(StrEnum):
    """What a partial match does: Flink's `StateTransitionAction`."""

    TAKE = "take"
    IGNORE = "ignore"
    PROCEED = "proceed"


@dataclass(frozen=True, slots=True)
class Edge:
    """A way from a state to another.

    Attributes:
        source: the number of the state that it leads on from.
        target: the number of the state that it leads to; `None`: the match is accepted.
        action: TAKE an event, IGNORE one, or PROCEED without any.
        what: the variable that the event is taken for, which events are ignored, or what is waited for.
        link: what may be ignored before an event is taken; `None`: the event is the first, or none is taken.
        conditions: what is asked, in χ-CEP.
    """

    source: int
    target: int | None
    action: EdgeAction
    what: str = ""
    link: Link | None = None
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AutomatonTable:
    """An automaton.

    Attributes:
        states: by number, what may come next in each.
        initial: the numbers of the states in which nothing has come.
        edges: by source, in order of priority.
        complete: whether these are all; else a pattern of very many states was cut.
    """

    states: tuple[tuple[str, ...], ...]
    initial: tuple[int, ...]
    edges: tuple[Edge, ...]
    complete: bool


def automaton_table(query: Query, most: int = _MOST) -> AutomatonTable:
    """The automaton of a checked query with SEQ.

    A pattern that repeats nothing has one, too, though it is evaluated as columns.

    Args:
        query: the query.
        most: so many states are looked at.
    """
    bounds = Interval()
    compiled = CompiledPattern(query, (bounds.first, bounds.last))
    variables = [s.variable for s in query.sources if s.variable not in compiled.conditions.scopes.negations]
    edges: list[Edge] = []
    number = 0
    while number < min(len(compiled.states), most):
        edges += _edges(compiled, compiled.states[number], variables)
        number += 1
    states = tuple(tuple(dict.fromkeys(i.variable or "" for i in state.items)) for state in compiled.states[:number])
    known = [edge for edge in edges if edge.target is None or edge.target < number]
    return AutomatonTable(
        states, tuple(state.number for state in compiled.initial), tuple(known), complete=number == len(compiled.states)
    )


def _edges(compiled: CompiledPattern, state: State, variables: Sequence[str]) -> Iterator[Edge]:
    begins = state in compiled.initial
    for place, variable in enumerate(variables):
        for transition in compiled.moves(state, place, variable).transitions:
            link = None if begins else transition.link
            for target in transition.targets:
                number = target.state.number
                yield Edge(state.number, number, EdgeAction.TAKE, variable, link, target.conditions)
    if not begins:
        yield from _ignoring(compiled, state)
    for final in state.finals:
        what = "when it can be prolonged no more" if final.leaves else ""
        yield Edge(state.number, None, EdgeAction.PROCEED, what, None, final.conditions)


def _ignoring(compiled: CompiledPattern, state: State) -> Iterator[Edge]:
    links = {item.link for item in state.items if item.variable is not None}
    if links == {Link.ANY} and state.relaxed:
        yield Edge(state.number, state.number, EdgeAction.IGNORE, "any event")
        return
    if links - {Link.STRICT}:
        yield Edge(state.number, state.number, EdgeAction.IGNORE, "what nothing takes")
    if Link.ANY in links:
        left = compiled.ignored(state, Link.NEXT)
        if left is not None:
            yield Edge(state.number, left.number, EdgeAction.IGNORE, "what another branch takes")
