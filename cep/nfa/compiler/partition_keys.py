"""Which events can meet in a match at all: PARTITION BY, and JOINs that say that something is equal.

Events of different partitions do not see each other. For JOINs that is so only where every event but the first of a
match has to be equal to one that came before it: else an event of another partition could be taken, and be in the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never, cast

import polars as pl

from ....expressions import plain_name
from ....language.nodes import (
    Alternative,
    Binary,
    Conjunction,
    Element,
    Group,
    Negation,
    Pattern,
    Query,
    Sequence,
    Timer,
    conjuncts,
    variables_of,
)
from ...order import key_expressions
from ..automaton import PatternScopes
from ..event_layout import speaks_of_one

__all__ = ["Keys", "keys_of"]


@dataclass(frozen=True, slots=True)
class Keys:
    """What tells partitions apart.

    Attributes:
        shared: per variable, the columns of PARTITION BY, in which unbound is a value.
        joined: per variable, the expression in which all events of a match are equal; empty: there is none. A
            variable under NOT may be missing: its candidates are looked at from every partition.
    """

    shared: Mapping[str, tuple[str, ...]]
    joined: Mapping[str, pl.Expr]


def keys_of(query: Query, scopes: PatternScopes, *, relaxed: bool, watched: bool = False) -> Keys:
    """The keys of a query.

    Args:
        query: with SEQ.
        scopes: where its variables stand.
        relaxed: constraints alone say what matches, whatever came first.
        watched: partial matches are told, too: what is equal only by way of what has not come is not decided.
    """
    shared = {
        source.variable: tuple(dict(columns)[source.variable] for columns in query.partition_by)
        for source in query.sources
    }
    pattern = cast("Pattern", query.pattern)
    for joined in _classes(query, scopes, relaxed=relaxed and not watched):
        safe = set(joined) >= set(scopes.positive) and (
            _is_safe(pattern, joined, scopes, relaxed=relaxed and not watched)
            or (watched and relaxed and _is_clique(pattern, joined, scopes))
        )
        if safe:
            return Keys(shared, {variable: e for variable, (e, _) in joined.items()})
    return Keys(shared, {})


_Class = dict[str, tuple[pl.Expr, frozenset[str]]]
"""Per variable its expression, and the variables to which JOINs compare it directly."""


def _classes(query: Query, scopes: PatternScopes, *, relaxed: bool) -> list[_Class]:
    """Expressions that JOINs of the whole match make equal."""
    classes: list[_Class] = []
    for join in query.joins:
        for part in conjuncts(join) if relaxed else (join,):
            pair = _pair(part, scopes)
            if pair is not None:
                classes = _joined(classes, pair)
    return classes


def _pair(e: object, scopes: PatternScopes) -> _Class | None:
    if not isinstance(e, Binary) or e.operator != "=" or not (speaks_of_one(e.left) and speaks_of_one(e.right)):
        return None
    left, right = variables_of(e.left), variables_of(e.right)
    if left == right or scopes.scope((*left, *right)) is not None:
        return None
    (a,), (b,) = left, right
    if not {a, b} <= {*scopes.positive, *scopes.negations}:
        return None
    expressions = key_expressions(e.left, e.right, plain_name)
    if expressions is None:
        return None
    return {a: (expressions[0], frozenset({b})), b: (expressions[1], frozenset({a}))}


def _joined(classes: list[_Class], pair: _Class) -> list[_Class]:
    """The classes with one more pair; classes that share an expression of a variable are one."""
    merged = dict(pair)
    others = []
    for known in classes:
        common = set(known) & set(merged)
        if common and all(str(known[v][0]) == str(merged[v][0]) for v in common):
            merged = {
                v: (
                    (known.get(v) or merged[v])[0],
                    (known[v][1] if v in known else frozenset()) | (merged[v][1] if v in merged else frozenset()),
                )
                for v in {**known, **merged}
            }
        else:
            others.append(known)
    return [*others, merged]


def _is_safe(pattern: Pattern, joined: _Class, scopes: PatternScopes, *, relaxed: bool) -> bool:
    """Whether each event but the first is compared with one that has come before it."""
    mandatory = _after(pattern, frozenset(), {})
    if relaxed and set(scopes.positive) <= mandatory:
        return _are_connected(joined, scopes)
    before: dict[str, frozenset[str]] = {}
    _after(pattern, frozenset(), before)
    firsts = [v for v in scopes.positive if not before[v]]
    others = [v for v in scopes.positive if before[v]]
    if any(not before[v] & joined[v][1] for v in others):
        return False
    if any(scopes.loops[v] for v in firsts) or _in_conjunction(pattern, firsts):
        return False
    return not any(v in joined and not joined[v][1] & mandatory for v in scopes.negations)


def _is_clique(pattern: Pattern, joined: _Class, scopes: PatternScopes) -> bool:
    """Whether JOINs compare every variable that is matched with every other."""
    every = set(scopes.positive)
    compared = all(joined[v][1] >= every - {v} and not scopes.loops[v] for v in every)
    return compared and every <= _after(pattern, frozenset(), {})


def _are_connected(joined: _Class, scopes: PatternScopes) -> bool:
    """Whether JOINs relate all variables that are matched, none of them by way of one under NOT."""
    first, *others = scopes.positive
    if not others:
        return not scopes.loops[first]
    reached, grown = {first}, {first}
    while grown:
        grown = {w for v in grown for w in joined[v][1] if w in scopes.positive} - reached
        reached |= grown
    return reached == set(scopes.positive)


def _after(part: Pattern, before: frozenset[str], known: dict[str, frozenset[str]]) -> frozenset[str]:
    """The variables that have certainly come after a part; `known` gets what has before each element."""
    match part:
        case Element(variable=variable, quantifier=quantifier):
            known[variable] = before
            return before if quantifier is not None and quantifier.minimum == 0 else before | {variable}
        case Negation() | Timer():
            return before
        case Group(pattern=inner, quantifier=quantifier):
            after = _after(inner, before, known)
            return before if quantifier.minimum == 0 else after
        case Sequence(parts=parts):
            for one in parts:
                before = _after(one, before, known)
            return before
        case Conjunction(parts=parts):
            return frozenset[str]().union(*(_after(one, before, known) for one in parts))
        case Alternative(branches=branches):
            sides = [_after(one, before, known) for one in branches]
            return frozenset.intersection(*sides)


def _in_conjunction(part: Pattern, variables: list[str]) -> bool:
    match part:
        case Conjunction():
            found: dict[str, frozenset[str]] = {}
            _after(part, frozenset(), found)
            return not set(variables).isdisjoint(found)
        case Group(pattern=inner):
            return _in_conjunction(inner, variables)
        case Sequence(parts=parts) | Alternative(branches=parts):
            return any(_in_conjunction(one, variables) for one in parts)
        case Element() | Negation() | Timer():
            return False
        case _:
            assert_never(part)
