"""SEQ without repetition as a disjunction: OR decides which variables are bound, the rest is a partial order.

A disjunct says of each of its variables which others stand before it and which link leads to it, and which
candidates must be absent where. AND leaves its parts unordered; a sequence orders everything in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import assert_never

from ...errors import OperatorError
from ...expressions import micros
from ...language.nodes import Alternative as Either
from ...language.nodes import Conjunction, Element, Group, Link, Negation, Pattern, Policy, Query, Timer, walk_pattern
from ...language.nodes import Sequence as Links
from ..limits import Ceilings
from ..match import NegationConstraint
from ..order import with_timer_intervals

__all__ = ["PartialOrder", "disjuncts", "vectorisable"]

_MOST = 512
"""Disjuncts are compared with each other when a query is compiled; this many take less than a second."""

_LINKS = {Policy.ANY: Link.ANY, Policy.NEXT: Link.NEXT, Policy.STRICT: Link.STRICT}


@dataclass(frozen=True, slots=True)
class PartialOrder:
    """One disjunct of a pattern.

    Attributes:
        variables: those that it binds, in the order in which they are written.
        before: of each variable, all that stand before it.
        links: of each variable, the link that leads to it; POLICY's where the pattern begins.
        negations: what must not happen.
        through: of each variable, itself and those under NOT before it: what the way to it leads through.
        rivals: of each variable, those on earlier sides of ORs whose link is not `->>`: an event that is reached
            through one of them is not the variable's.
        sides: of each variable, the variables of the ANDs that it may begin, innermost first.
    """

    variables: tuple[str, ...]
    before: Mapping[str, frozenset[str]]
    links: Mapping[str, Link]
    negations: tuple[NegationConstraint, ...]
    through: Mapping[str, frozenset[str]]
    rivals: Mapping[str, frozenset[str]]
    sides: Mapping[str, tuple[frozenset[str], ...]]


@dataclass(frozen=True, slots=True)
class _Node:
    """A variable of a disjunct under construction; `before` and `sides` have those under NOT among them."""

    part: Element | Negation
    link: Link
    before: frozenset[str] = frozenset()
    rivals: frozenset[str] = frozenset()
    sides: tuple[frozenset[str], ...] = ()


_Part = Mapping[str, _Node]


def disjuncts(query: Query) -> tuple[PartialOrder, ...]:
    """The disjuncts of the pattern of a query that repeats nothing; without SEQ there is one without order.

    Raises:
        OperatorError: the pattern repeats something.
        CeilingError: there are too many of them.
    """
    pattern = with_timer_intervals(query).pattern
    if pattern is None:
        return (_unordered(tuple(source.variable for source in query.sources)),)
    Ceilings(query).check_plan(_count(pattern), _MOST, "ways to choose sides of its ORs")
    free = [source.variable for source in query.sources if source.variable not in _named(pattern)]
    found = [_disjunct(part, free) for part in _parts(pattern, _LINKS[query.policy])]
    return tuple(alternative for alternative in found if len(alternative.variables) > len(free))


def _unordered(variables: tuple[str, ...]) -> PartialOrder:
    nothing = dict.fromkeys(variables, frozenset[str]())
    links = dict.fromkeys(variables, Link.ANY)
    sides: dict[str, tuple[frozenset[str], ...]] = dict.fromkeys(variables, ())
    return PartialOrder(variables, nothing, links, (), {v: frozenset({v}) for v in variables}, nothing, sides)


def _named(pattern: Pattern) -> set[str]:
    return {part.variable for part in walk_pattern(pattern) if isinstance(part, Element | Negation)}


def _count(pattern: Pattern) -> int:
    """How many disjuncts there are."""
    match pattern:
        case Element() | Negation() | Timer():
            return 1
        case Group(pattern=inner):
            return _count(inner)
        case Either(branches=branches):
            return sum(map(_count, branches))
        case Conjunction(parts=parts) | Links(parts=parts):
            return prod(map(_count, parts))
        case _:
            assert_never(pattern)


def _parts(pattern: Pattern, link: Link) -> list[_Part]:
    """The disjuncts of a part of the pattern that `link` leads to."""
    match pattern:
        case Timer():
            raise OperatorError("timers are answered as NOTs with intervals")
        case Element(quantifier=None) | Negation():
            return [{pattern.variable: _Node(pattern, link)}]
        case Element() | Group():
            raise OperatorError("a repetition is not answered by joins of columns")
        case Either(branches=branches):
            return _sides(branches, link)
        case Conjunction(parts=parts):
            return [_side_by_side(choice) for choice in product(*(_parts(part, link) for part in parts))]
        case Links(parts=parts, links=links):
            of_parts = [_parts(part, of_part) for part, of_part in zip(parts, (link, *links), strict=True)]
            return [_one_after_another(choice) for choice in product(*of_parts)]
        case _:
            assert_never(pattern)


def _sides(branches: Sequence[Pattern], link: Link) -> list[_Part]:
    """The sides of an OR: each gives way to those before it, unless the link is `->>`."""
    found: list[_Part] = []
    earlier: frozenset[str] = frozenset()
    for branch in branches:
        rivals = frozenset[str]() if link is Link.ANY else earlier
        found += [
            {name: replace(node, rivals=node.rivals | rivals) for name, node in part.items()}
            for part in _parts(branch, link)
        ]
        earlier |= _named(branch)
    return found


def _side_by_side(parts: Sequence[_Part]) -> _Part:
    nodes = {name: node for part in parts for name, node in part.items()}
    every = frozenset(nodes)
    return {name: node if node.before else replace(node, sides=(*node.sides, every)) for name, node in nodes.items()}


def _one_after_another(parts: Sequence[_Part]) -> _Part:
    nodes: dict[str, _Node] = {}
    for part in parts:
        behind = frozenset(nodes)
        nodes |= {name: replace(node, before=node.before | behind) for name, node in part.items()}
    return nodes


def _disjunct(part: _Part, free: Sequence[str]) -> PartialOrder:
    """The disjunct of a part that is the whole pattern; `free` variables stand outside of it."""
    bound = {name: node for name, node in part.items() if isinstance(node.part, Element)}
    names, loose = frozenset(bound), _unordered(tuple(free))
    through = {v: _through(v, part) for v in bound}
    rivals = {v: frozenset[str]().union(*(part[name].rivals for name in through[v])) for v in bound}
    negations = tuple(_constraint(node, node.part, bound) for node in part.values() if isinstance(node.part, Negation))
    return PartialOrder(
        (*bound, *free),
        {**{v: node.before & names for v, node in bound.items()}, **loose.before},
        {**{v: node.link for v, node in bound.items()}, **loose.links},
        negations,
        {**through, **loose.through},
        {**rivals, **loose.rivals},
        {**{v: tuple(side & names for side in node.sides) for v, node in bound.items()}, **loose.sides},
    )


def _through(variable: str, part: _Part) -> frozenset[str]:
    return frozenset({variable, *(v for v in part[variable].before if isinstance(part[v].part, Negation))})


def _constraint(node: _Node, negation: Negation, bound: Mapping[str, _Node]) -> NegationConstraint:
    before = node.before & frozenset(bound)
    after = frozenset(v for v, other in bound.items() if negation.variable in other.before)
    duration = None if negation.duration is None else micros(negation.duration)
    strict = node.link is Link.STRICT and duration is None and bool(before)
    every = None if negation.every is None else micros(negation.every)
    return NegationConstraint(
        negation.variable, before, after, duration, strict, micros(negation.since), negation.timer, every
    )


def vectorisable(query: Query) -> bool:
    """Whether nothing in the query's SEQ is repeated, so that a match has as many events as it has variables."""
    parts = () if query.pattern is None else walk_pattern(query.pattern)
    return not any(isinstance(part, Element | Group) and part.quantifier is not None for part in parts)
