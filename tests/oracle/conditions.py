"""JOINs over what a run has bound: every event of a run, each repetition by itself, RUNNING and PREV event by event."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache

from kaicep.language.nodes.expression import Aggregate, Binding, Call, Column, Expression
from kaicep.language.nodes.pattern import Alternative, Element, Group, Negation, Pattern, Timer

from .expressions import Candidate, Scope, holds, holds_stepwise
from .terms import Place, Side


@dataclass(frozen=True)
class Taken:
    """One event of a match: the variable that it is bound to, and the repetitions around it."""

    variable: str
    candidate: Candidate
    place: Place


@dataclass(frozen=True)
class Shape:
    """Where the variables of a pattern stand: `groups` around each, outermost first; `others`: those of other sides.

    `others` goes by the OR's place in the text and the side.
    """

    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    others: Mapping[tuple[int, int], frozenset[str]] = field(default_factory=dict)


@cache
def shape_of(pattern: Pattern | None) -> Shape:
    """The shape of SEQ's pattern."""
    groups: dict[str, tuple[int, ...]] = {}
    others: dict[tuple[int, int], frozenset[str]] = {}

    def visit(part: Pattern, around: tuple[int, ...]) -> frozenset[str]:
        match part:
            case Element(variable=variable) | Negation(variable=variable):
                groups[variable] = around
                return frozenset({variable})
            case Timer(until=until):
                groups.update({} if until is None else {until: around})
                return frozenset() if until is None else frozenset({until})
            case Group():
                return visit(part.pattern, (*around, part.span.start))
            case Alternative():
                sides = [visit(branch, around) for branch in part.branches]
                every = frozenset().union(*sides)
                others.update({(part.span.start, i): every - side for i, side in enumerate(sides)})
                return every
            case _:
                return frozenset().union(*(visit(inner, around) for inner in part.parts))

    if pattern is not None:
        visit(pattern, ())
    return Shape(groups, others)


@cache
def negated_in(pattern: Pattern | None) -> frozenset[str]:
    """The variables under NOT, and that of UNTIL behind EVERY."""
    ends = (node.until for node in nodes(pattern) if isinstance(node, Timer))
    negated = (node.variable for node in nodes(pattern) if isinstance(node, Negation))
    return frozenset(variable for variable in (*negated, *ends) if variable is not None)


@dataclass(frozen=True)
class Bound:
    """What is bound so far.

    Attributes:
        taken: the events, in total order.
        remaining: the variables that may still get events.
        sides: the sides taken of ORs.
    """

    shape: Shape
    taken: tuple[Taken, ...]
    remaining: frozenset[tuple[str, Place]] = frozenset()
    sides: tuple[Side, ...] = ()

    def run(self, variable: str, around: Place = ()) -> tuple[Candidate, ...]:
        """The events of a variable, in these repetitions."""
        return tuple(t.candidate for t in self.taken if t.variable == variable and _within(t.place, around))

    def is_complete(self, variable: str, around: Place) -> bool:
        """Whether nothing more can come to its run."""
        return not any(v == variable and _within(place, around) for v, place in self.remaining)

    def is_left_out(self, variable: str, around: Place) -> bool:
        """Whether the other side of an OR was taken, and the variable is unbound for that."""
        return not self.run(variable, around) and any(
            _within(side.key[1], around) and variable in self.shape.others[side.key[0], side.index]
            for side in self.sides
        )

    def depth(self, variables: Sequence[str]) -> int:
        """How many repeated groups surround all these variables."""
        chains = [self.shape.groups.get(v, ()) for v in variables]
        return len(_common(chains)) if chains else 0

    def scopes(self, variables: Sequence[str]) -> list[Place]:
        """The repetitions that a condition on these variables is asked of, each by itself."""
        depth = self.depth(variables)
        places = [t.place[:depth] for t in self.taken if t.variable in variables]
        return list(dict.fromkeys(places)) if depth else [()]


def _within(place: Place, around: Place) -> bool:
    return place[: len(around)] == around


def _common(chains: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The groups that surround all variables."""
    equal = itertools.takewhile(lambda level: len(set(level)) == 1, zip(*chains, strict=False))
    return tuple(level[0] for level in equal)


@cache
def mentioned(node: Expression) -> Sequence[str]:
    """The event variables of an expression, each once."""
    return list(dict.fromkeys(n.variable for n in nodes(node) if isinstance(n, Column | Binding | Aggregate)))


@cache
def plainly(expression: object) -> Sequence[str]:
    """The variables of which a condition speaks event by event: those outside aggregates and PREV."""
    found: list[str] = []
    if isinstance(expression, Column | Binding):
        found = [expression.variable]
    elif isinstance(expression, tuple):
        found = [v for part in expression for v in plainly(part)]
    elif is_dataclass(expression) and not _looks_back(expression) and not isinstance(expression, Aggregate):
        found = [v for part in fields(expression) for v in plainly(getattr(expression, part.name))]
    return list(dict.fromkeys(found))


@cache
def aggregated(expression: Expression) -> Sequence[str]:
    """The variables whose whole run a condition speaks of."""
    return [n.variable for n in nodes(expression) if isinstance(n, Aggregate) and not n.running]


def nodes(node: object) -> Iterator[object]:
    """All nodes of an expression."""
    if isinstance(node, tuple):
        for part in node:
            yield from nodes(part)
    elif is_dataclass(node):
        yield node
        for part in fields(node):
            yield from nodes(getattr(node, part.name))


def _looks_back(node: object) -> bool:
    return isinstance(node, Call) and node.function == "PREV"


@cache
def is_stepwise(expression: Expression) -> bool:
    """Whether a condition is tested as each event is taken."""
    return any(_looks_back(n) or (isinstance(n, Aggregate) and n.running) for n in nodes(expression))


def may_hold(condition: Expression, bound: Bound) -> bool:
    """Whether nothing that is decided already makes a JOIN false."""
    variables = mentioned(condition)
    return all(_may_hold(condition, bound, around) for around in bound.scopes(variables))


def _may_hold(condition: Expression, bound: Bound, around: Place) -> bool:
    variables = mentioned(condition)
    if any(bound.is_left_out(v, around) for v in variables):
        return True
    if not all(bound.is_complete(v, around) for v in aggregated(condition)):
        return True
    if is_stepwise(condition):
        return all(_step_holds(condition, bound, around, t) for t in bound.taken
                   if t.variable in variables and _within(t.place, around))  # fmt: skip
    runs = {v: bound.run(v, around) for v in variables}
    return all(holds(condition, Scope(chosen, runs)) for chosen in choices(runs, plainly(condition)))


def choices(runs: Mapping[str, Sequence[Candidate]], variables: Sequence[str]) -> Iterator[dict[str, Candidate]]:
    """Every way to choose one event of each run."""
    for choice in itertools.product(*(runs[v] for v in variables)):
        yield dict(zip(variables, choice, strict=True))


def _step_holds(condition: Expression, bound: Bound, around: Place, tested: Taken) -> bool:
    """A condition with RUNNING or PREV, as one event is taken."""
    now = tested.candidate
    so_far = {v: [c for c in bound.run(v, around) if c.event.order <= now.event.order] for v in mentioned(condition)}
    if tested.variable in plainly(condition):
        so_far[tested.variable] = [now]
    whole = {v: bound.run(v, around) for v in mentioned(condition)}
    return all(
        holds_stepwise(condition, Scope(chosen, whole, earlier(condition, bound, chosen, now)))
        for chosen in choices(so_far, plainly(condition))
    )


def earlier(
    condition: Expression, bound: Bound, chosen: Mapping[str, Candidate], tested: Candidate
) -> dict[str, Sequence[Candidate]]:
    """What RUNNING and PREV look at: of each run the events before the one that is being tested."""
    return {
        v: [c for c in bound.run(v) if c.event.order < chosen.get(v, tested).event.order] for v in mentioned(condition)
    }
