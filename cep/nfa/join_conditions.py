"""The JOINs of a pattern: of whom each speaks, in which repetition, and when it can be tested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...expressions import of_single_events
from ...language.nodes import Aggregate, Binary, Binding, Call, Column, Expression, Query, Unary, conjuncts, walk
from .event_layout import Layouts
from .pattern_scopes import Places

__all__ = ["Condition", "Levels", "Look", "conditions_of", "is_own", "looks_of", "together_of"]

Look = Call | Aggregate
"""A PREV, or an aggregate with RUNNING."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A JOIN.

    Attributes:
        number: tells it from others.
        test: the condition, prepared for tuples of events.
        variables: all variables that it mentions.
        plain: those of whose events it speaks one by one.
        aggregates: what it says of complete runs.
        looks: PREVs and RUNNING aggregates.
        scope: the group each repetition of which it is asked of; `None`: the whole match.
    """

    number: int
    test: Expression
    variables: tuple[str, ...]
    plain: tuple[str, ...]
    aggregates: tuple[Aggregate, ...]
    looks: tuple[Look, ...]
    scope: int | None

    @property
    def looked(self) -> frozenset[str]:
        """The variables that it looks back at."""
        return frozenset(variable_of(look) for look in self.looks)


Levels = tuple[tuple[Condition, ...], ...]
"""JOINs by the group each repetition of which they are asked of, the innermost first."""


def conditions_of(query: Query, places: Places, layouts: Layouts, *, may_cut: bool) -> list[Condition]:
    """The JOINs over several events that SEQ names, those of NOTs among them.

    Args:
        query: the query.
        places: where its variables stand.
        layouts: gets the columns that the conditions look at.
        may_cut: whether a JOIN may be cut at its ANDs: nobody can tell when each part is tested.
    """
    tests = [part for part in _parts(query, may_cut=may_cut) if not is_own(part, places) and _is_inside(part, places)]
    return [condition(number, test, places, layouts) for number, test in enumerate(tests)]


def together_of(query: Query, places: Places, layouts: Layouts, *, may_cut: bool) -> list[Condition]:
    """The JOINs with variables that SEQ does not name; see `conditions_of`."""
    tests = [part for part in _parts(query, may_cut=may_cut) if not _is_inside(part, places)]
    return [condition(number, test, places, layouts) for number, test in enumerate(tests)]


def _parts(query: Query, *, may_cut: bool) -> list[Expression]:
    return [part for join in query.joins for part in (conjuncts(join) if may_cut else (join,))]


def _is_inside(e: Expression, places: Places) -> bool:
    return set(_mentioned(e)) <= {*places.positive, *places.negations}


def condition(number: int, test: Expression, places: Places, layouts: Layouts) -> Condition:
    """A condition taken apart."""
    for variable in places.negations:
        test = _of_candidate(test, variable)
    prepared = layouts.prepared(test)
    variables = tuple(dict.fromkeys(_mentioned(test)))
    looks = looks_of(prepared)
    aggregates = tuple(n for n in walk(prepared) if isinstance(n, Aggregate) and not n.running)
    plain = tuple(dict.fromkeys(_plainly(prepared)))
    return Condition(number, prepared, variables, plain, aggregates, looks, places.scope(variables))


def is_own(e: Expression, places: Places) -> bool:
    """Whether a JOIN speaks of each event of one run by itself: a condition on candidates."""
    variables = set(_mentioned(e))
    return len(variables) == 1 and not looks_of(e) and not any(isinstance(n, Aggregate) for n in walk(e)) and (
        variables <= set(places.positive)
    )  # fmt: skip


def looks_of(e: Expression) -> tuple[Look, ...]:
    """The PREVs and RUNNING aggregates in a condition."""
    return tuple(
        n for n in walk(e) if (isinstance(n, Call) and n.function == "PREV") or (isinstance(n, Aggregate) and n.running)
    )


def variable_of(look: Look) -> str:
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
        case Aggregate() | Call(function="PREV"):
            return
        case Unary():
            yield from _plainly(e.operand)
        case Binary():
            yield from _plainly(e.left)
            yield from _plainly(e.right)
        case Call():
            for argument in e.arguments:
                yield from _plainly(argument)
        case _:
            for part in list(walk(e))[1:2]:  # that of a Membership, or nothing
                yield from _plainly(part)


def _of_candidate(e: Expression, variable: str) -> Expression:
    """Aggregates of a variable under NOT are those of its one candidate."""
    match e:
        case Aggregate() if e.variable == variable and not e.running:
            return of_single_events(e)
        case Unary():
            return replace(e, operand=_of_candidate(e.operand, variable))
        case Binary():
            return replace(e, left=_of_candidate(e.left, variable), right=_of_candidate(e.right, variable))
        case Call():
            return replace(e, arguments=tuple(_of_candidate(a, variable) for a in e.arguments))
        case _:
            return e
