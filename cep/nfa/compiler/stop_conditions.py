"""UNTIL: the events that end a repetition, candidates or not (docs/semantics.md 3.9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import assert_never

import polars as pl

from ....language.nodes import (
    Aggregate,
    Binary,
    Binding,
    Call,
    Column,
    Constant,
    Element,
    Expression,
    Group,
    Intrinsic,
    Membership,
    Pattern,
    Query,
    Source,
    Unary,
    expression_text,
    walk,
    walk_pattern,
)
from ...order import empty_candidates
from ...partitions import WINDOW_COLUMN, partitioned_by_window, reserved_types
from ..automaton import PatternScopes
from ..event_layout import EventLayout
from .join_conditions import JoinCondition, condition

__all__ = ["StopCondition", "stop_candidates", "stop_conditions_of", "stop_events"]


@dataclass(frozen=True, slots=True)
class StopCondition:
    """The condition of an UNTIL, asked of the events of one variable's stream.

    Attributes:
        start: where the repetition begins in the text.
        variable: the variable as which an event is tested.
        name: what the condition calls the event.
        condition: the condition.
        inside: the variables of the repetition: as long as one of them may come, the condition may be asked.
    """

    start: int
    variable: str
    name: str
    condition: JoinCondition
    inside: frozenset[str]

    @property
    def alone(self) -> bool:
        """Whether it speaks of the event alone, so that it is the same for all runs."""
        return self.condition.variables == (self.name,) and not self.condition.looks


def _name(start: int, variable: str) -> str:
    """What the events are called that may end the repetition that begins at `start` in the text."""
    return f"until {start} ?{variable}"


def _conditions(pattern: Pattern | None) -> Iterator[tuple[Element | Group, str, Expression]]:
    """Each UNTIL's repetition, the variable as which events are tested, and the condition."""
    for part in () if pattern is None else walk_pattern(pattern):
        if not isinstance(part, Element | Group) or part.quantifier is None or part.quantifier.until is None:
            continue
        until = part.quantifier.until
        mentioned = [n.variable for n in walk(until) if isinstance(n, Column | Binding | Aggregate)]
        own = _elements(part)
        for variable in dict.fromkeys(v for v in mentioned if v in own):
            yield part, variable, until


def _elements(part: Pattern) -> frozenset[str]:
    return frozenset(p.variable for p in walk_pattern(part) if isinstance(p, Element))


def stop_events(query: Query) -> dict[str, tuple[str, list[str]]]:
    """What an operator is given beside candidates, for UNTIL.

    Returns:
        By the name under which `Operator.process` takes them, the stream whose events they are, all that lie within
        WITHIN, and their columns.
    """
    sources = _sources(partitioned_by_window(query))
    return {name: (source.stream.name, ["_time", "_id", *_columns(source)]) for name, source in sources.items()}


def stop_candidates(query: Query) -> dict[str, pl.DataFrame]:
    """No such events, by the name under which they are taken."""
    return {
        name: empty_candidates(source).select("_time", "_id", *_columns(source))
        for name, source in _sources(query).items()
    }


def _sources(query: Query) -> dict[str, Source]:
    by_variable = {source.variable: source for source in query.sources}
    return {_name(part.span.start, v): by_variable[v] for part, v, _ in _conditions(query.pattern)}


def _columns(source: Source) -> list[str]:
    """The columns that UNTIL may speak of: attributes, for what a PATH binds belongs to candidates."""
    return [
        c for c in source.columns if not c.startswith("?") and (c == WINDOW_COLUMN or c not in reserved_types((c,)))
    ]


def stop_conditions_of(
    query: Query, scopes: PatternScopes, layout: EventLayout
) -> dict[int, tuple[StopCondition, ...]]:
    """The stop conditions of every repetition with UNTIL, by its start."""
    found: dict[int, tuple[StopCondition, ...]] = {}
    for number, (part, variable, until) in enumerate(_conditions(query.pattern)):
        start = part.span.start
        name = _name(start, variable)
        test = condition(-1 - number, _of_event(until, variable, name), _with_event(scopes, name, variable), layout)
        test = replace(
            test, text=expression_text(until), scope=start if _asks_of_repetition(scopes, start, test) else None
        )
        found[start] = (*found.get(start, ()), StopCondition(start, variable, name, test, _elements(part)))
    return found


def _with_event(scopes: PatternScopes, name: str, variable: str) -> PatternScopes:
    """The scopes, with the tested event where its variable stands."""
    return replace(
        scopes,
        groups={**scopes.groups, name: scopes.groups[variable]},
        loops={**scopes.loops, name: scopes.loops[variable]},
    )


def _asks_of_repetition(scopes: PatternScopes, start: int, test: JoinCondition) -> bool:
    """Whether it is the UNTIL of a group and speaks of the group's variables alone: of the repetition under way."""
    return all(start in scopes.groups.get(v, (start,)) for v in test.variables)


def _of_event(e: Expression, variable: str, name: str) -> Expression:
    """The condition, in which `name` is the event that is tested; aggregates and PREV still look at the run."""
    match e:
        case Column() | Binding() if e.variable == variable:
            return replace(e, variable=name)
        case Unary() | Membership():
            return replace(e, operand=_of_event(e.operand, variable, name))
        case Binary():
            return replace(e, left=_of_event(e.left, variable, name), right=_of_event(e.right, variable, name))
        case Call(function=function) if function != Intrinsic.PREV:
            return replace(e, arguments=tuple(_of_event(a, variable, name) for a in e.arguments))
        case Column() | Binding() | Call() | Aggregate() | Constant():
            return e
        case _:
            assert_never(e)
