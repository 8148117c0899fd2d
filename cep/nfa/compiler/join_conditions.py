"""The JOINs of a pattern: of whom each speaks, in which repetition, and when it can be tested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from ....expressions import of_single_events
from ....language.nodes import (
    Aggregate,
    Binary,
    Binding,
    Call,
    Column,
    Constant,
    Expression,
    Intrinsic,
    Membership,
    Query,
    Unary,
    conjuncts,
    expression_text,
    walk,
)
from ..automaton import PatternScopes
from ..event_layout import EventLayout

__all__ = ["JoinCondition", "JoinLevels", "LookBack", "free_joins_of", "joins_of", "looks_of", "own_joins_of"]

LookBack = Call | Aggregate
"""A PREV, or an aggregate with RUNNING."""


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """A JOIN.

    Attributes:
        number: tells it from others.
        text: in χ-CEP.
        test: the condition, prepared for tuples of events.
        variables: all variables that it mentions.
        plain: those of whose events it speaks one by one.
        aggregates: what it says of complete runs.
        looks: PREVs and RUNNING aggregates.
        scope: the group each repetition of which it is asked of; `None`: the whole match.
    """

    number: int
    text: str
    test: Expression
    variables: tuple[str, ...]
    plain: tuple[str, ...]
    aggregates: tuple[Aggregate, ...]
    looks: tuple[LookBack, ...]
    scope: int | None

    @property
    def looked(self) -> frozenset[str]:
        """The variables that it looks back at."""
        return frozenset(variable_of(look) for look in self.looks)


JoinLevels = tuple[tuple[JoinCondition, ...], ...]
"""JOINs by the group each repetition of which they are asked of, the innermost first."""


def joins_of(query: Query, scopes: PatternScopes, layout: EventLayout, *, may_cut: bool) -> list[JoinCondition]:
    """The JOINs over several events that SEQ names, those of NOTs among them.

    Args:
        query: the query.
        scopes: where its variables stand.
        layout: gets the columns that the conditions look at.
        may_cut: whether a JOIN may be cut at its ANDs: nobody can tell when each part is tested.
    """
    tests = [part for part in _parts(query, may_cut=may_cut) if not _is_own(part, scopes) and _is_inside(part, scopes)]
    return [condition(number, test, scopes, layout) for number, test in enumerate(tests)]


def own_joins_of(query: Query, scopes: PatternScopes, *, may_cut: bool) -> list[Expression]:
    """The JOINs, or parts of them, that are conditions on the candidates of one variable; see `joins_of`."""
    return [part for part in _parts(query, may_cut=may_cut) if _is_own(part, scopes)]


def free_joins_of(query: Query, scopes: PatternScopes, layout: EventLayout, *, may_cut: bool) -> list[JoinCondition]:
    """The JOINs with variables that SEQ does not name; see `joins_of`."""
    tests = [part for part in _parts(query, may_cut=may_cut) if not _is_inside(part, scopes)]
    return [condition(number, test, scopes, layout) for number, test in enumerate(tests)]


def _parts(query: Query, *, may_cut: bool) -> list[Expression]:
    return [part for join in query.joins for part in (_cut(join) if may_cut else (join,))]


def _cut(join: Expression) -> tuple[Expression, ...]:
    """A JOIN cut at its ANDs, unless a part speaks of no event and would be asked of none."""
    parts = conjuncts(join)
    return parts if all(map(_mentioned, parts)) else (join,)


def _is_inside(e: Expression, scopes: PatternScopes) -> bool:
    return set(_mentioned(e)) <= {*scopes.positive, *scopes.negations}


def condition(number: int, test: Expression, scopes: PatternScopes, layout: EventLayout) -> JoinCondition:
    """A condition taken apart."""
    text = expression_text(test)
    for variable in scopes.negations:
        test = _of_candidate(test, variable)
    prepared = layout.prepared(test)
    variables = tuple(dict.fromkeys(_mentioned(test)))
    looks = looks_of(prepared)
    aggregates = tuple(n for n in walk(prepared) if isinstance(n, Aggregate) and not n.running)
    plain = tuple(dict.fromkeys(_plainly(prepared)))
    return JoinCondition(number, text, prepared, variables, plain, aggregates, looks, scopes.scope(variables))


def _is_own(e: Expression, scopes: PatternScopes) -> bool:
    """Whether a JOIN speaks of each event of one run by itself: a condition on candidates."""
    variables = set(_mentioned(e))
    return len(variables) == 1 and not looks_of(e) and not any(isinstance(n, Aggregate) for n in walk(e)) and (
        variables <= set(scopes.positive)
    )  # fmt: skip


def looks_of(e: Expression) -> tuple[LookBack, ...]:
    """The PREVs and RUNNING aggregates in a condition."""
    return tuple(
        n
        for n in walk(e)
        if (isinstance(n, Call) and n.function == Intrinsic.PREV) or (isinstance(n, Aggregate) and n.running)
    )


def variable_of(look: LookBack) -> str:
    """The variable whose run it looks back at."""
    if isinstance(look, Aggregate):
        return look.variable
    return next(n.variable for n in walk(look) if isinstance(n, Column | Binding))


def _mentioned(e: Expression) -> list[str]:
    return [n.variable for n in walk(e) if isinstance(n, Column | Binding | Aggregate)]


def _plainly(e: Expression) -> Iterator[str]:
    """The variables outside aggregates and PREV."""
    match e:
        case Column() | Binding():
            yield e.variable
        case Aggregate() | Call(function=Intrinsic.PREV):
            return
        case Constant():
            return
        case Unary() | Membership():
            yield from _plainly(e.operand)
        case Binary():
            yield from _plainly(e.left)
            yield from _plainly(e.right)
        case Call():
            for argument in e.arguments:
                yield from _plainly(argument)
        case _:
            assert_never(e)


def _of_candidate(e: Expression, variable: str) -> Expression:
    """Aggregates of a variable under NOT are those of its one candidate."""
    match e:
        case Aggregate() if e.variable == variable and not e.running:
            return of_single_events(e)
        case Unary() | Membership():
            return replace(e, operand=_of_candidate(e.operand, variable))
        case Binary():
            return replace(e, left=_of_candidate(e.left, variable), right=_of_candidate(e.right, variable))
        case Call():
            return replace(e, arguments=tuple(_of_candidate(a, variable) for a in e.arguments))
        case Aggregate() | Column() | Binding() | Constant():
            return e
        case _:
            assert_never(e)
