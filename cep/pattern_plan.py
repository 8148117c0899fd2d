"""A query over several events, taken apart: order, distances in time, join keys, and what is left to test."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import timedelta

import polars as pl

from ..errors import OperatorError
from ..language.columns import column_expression, plain_name
from ..language.expressions import Aggregate, Binary, Binding, Column, Expression
from ..language.pattern import CorrelationWindow, Element, Link, Pattern, Sequence, SlidingWindow, Window
from ..language.query import Query
from .expressions import columns_of, conjuncts, of_single_events, variables_of
from .frames import micros
from .keys import key_expressions
from .time_bounds import Bounds, bounds_with_last

__all__ = ["Condition", "Key", "PatternPlan", "match_name", "plan_pattern"]


@dataclass(frozen=True, slots=True)
class Key:
    """Expressions over candidates, one for each of several variables, that are equal in a match.

    Attributes:
        expressions: by variable, over its candidates' plain columns.
        nulls_match: unbound equals unbound (PARTITION BY) or nothing (JOIN).
    """

    expressions: Mapping[str, pl.Expr]
    nulls_match: bool


@dataclass(frozen=True, slots=True)
class Condition:
    """What has to be true of a match, over columns named by `match_name`."""

    variables: AbstractSet[str]
    columns: tuple[Column | Binding, ...]
    test: pl.Expr


@dataclass(frozen=True, slots=True)
class PatternPlan:
    """What the matcher works from.

    Attributes:
        variables: in order of FROM.
        streams: the stream of each variable: only events of one stream can be the same.
        bounds: by the variable whose event is the last one, how far apart the events of a match lie.
        counts: variables whose event is among the last so many candidates when the last event comes.
        keys: equalities.
        own: conditions on one variable, over its plain columns; of a variable whose candidates are counted they are
            among `conditions`, because what they refuse counts too.
        conditions: the other conditions.
    """

    variables: tuple[str, ...]
    streams: Mapping[str, str]
    bounds: Mapping[str, Bounds]
    counts: Mapping[str, int]
    keys: tuple[Key, ...]
    own: Mapping[str, list[pl.Expr]]
    conditions: tuple[Condition, ...]


def match_name(node: Column | Binding | Aggregate) -> str:
    """The column of a node in a frame of matches: `e1.flowrate`, `e1.?room`."""
    return f"{node.variable}.{plain_name(node)}"


def plan_pattern(query: Query) -> PatternPlan:
    """Take a query apart.

    Raises:
        OperatorError: its pattern or a window is more than plain variables in sequence.
    """
    variables = tuple(source.variable for source in query.sources)
    conditions = [of_single_events(part) for e in _conditions(query) for part in conjuncts(e)]
    keys, rest = _split_keys(conditions)
    counts = _counts(query)
    own: dict[str, list[pl.Expr]] = {v: [] for v in variables}
    later = []
    for e in rest:
        variable = next(iter(variables_of(e)), variables[0])
        if len(variables_of(e)) > 1 or variable in counts:
            later.append(Condition(variables_of(e) or {variable}, columns_of(e), column_expression(e, match_name)))
        else:
            own[variable].append(column_expression(e))
    streams = {source.variable: source.stream.name for source in query.sources}
    bounds = _bounds(query, variables)
    return PatternPlan(variables, streams, bounds, counts, _partition_keys(query) + keys, own, tuple(later))


def _counts(query: Query) -> dict[str, int]:
    counts: dict[str, int] = {}
    for w in query.windows:
        if isinstance(w, SlidingWindow) and isinstance(w.extent, int):
            counts[w.variable] = min(w.extent, counts.get(w.variable, w.extent))
    return counts


def _conditions(query: Query) -> list[Expression]:
    having = [] if query.having is None else [query.having]
    return [*query.joins, *having, *(item.condition for item in query.items if item.condition is not None)]


def _split_keys(conditions: list[Expression]) -> tuple[tuple[Key, ...], list[Expression]]:
    keys, rest = [], []
    for e in conditions:
        key = _key(e)
        if key is None:
            rest.append(e)
        else:
            keys.append(key)
    return tuple(keys), rest


def _key(e: Expression) -> Key | None:
    if not isinstance(e, Binary) or e.operator != "=":
        return None
    left, right = variables_of(e.left), variables_of(e.right)
    if len(left) != 1 or len(right) != 1 or left == right:
        return None
    pair = key_expressions(e.left, e.right, plain_name)
    return None if pair is None else Key(dict(zip((*left, *right), pair, strict=True)), nulls_match=False)


def _partition_keys(query: Query) -> tuple[Key, ...]:
    return tuple(
        Key({variable: pl.col(column) for variable, column in columns}, nulls_match=True)
        for columns in query.partition_by
        if len(columns) > 1
    )


def _bounds(query: Query, variables: tuple[str, ...]) -> dict[str, Bounds]:
    sequence = () if query.pattern is None else _sequence(query.pattern)
    windows = [_correlated(w) for w in query.windows if not isinstance(w, SlidingWindow)]
    if query.retention is not None:
        windows.append((variables, micros(query.retention)))
    sliding: dict[str, int] = {}
    for w in query.windows:
        if isinstance(w, SlidingWindow) and isinstance(w.extent, timedelta):
            sliding[w.variable] = min(micros(w.extent), sliding.get(w.variable, micros(w.extent)))
    lasts = [v for v in variables if v not in sequence[:-1]]
    return {last: bounds_with_last(variables, last, sequence, windows, sliding) for last in lasts}


def _correlated(window: Window) -> tuple[tuple[str, ...], int]:
    if not isinstance(window, CorrelationWindow):
        raise OperatorError(
            f"{type(window).__name__} over several variables cannot be run yet", hint="write WINDOW (?a, ?b, 5min)"
        )
    return window.variables, micros(window.width)


def _sequence(pattern: Pattern) -> tuple[str, ...]:
    """The variables of a SEQ of plain variables, in order."""
    if isinstance(pattern, Element) and pattern.quantifier is None:
        return (pattern.variable,)
    if isinstance(pattern, Sequence) and set(pattern.links) <= {Link.ANY}:
        return tuple(variable for part in pattern.parts for variable in _sequence(part))
    raise OperatorError(f"{type(pattern).__name__} in SEQ cannot be run yet", hint="use plain variables and ','")
