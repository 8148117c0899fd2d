"""What would complete a partial match: which variables may be bound on the way to the end of a pattern."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch

from kaicep.language.nodes.pattern import Alternative, Conjunction, Element, Group, Negation, Timer
from kaicep.language.nodes.pattern import Sequence as Links

from .terms import Both, Done, Look, Loop, Place, Rest, Term

Completions = frozenset[frozenset[str]]
NOTHING: Completions = frozenset({frozenset()})


def together(parts: Iterable[Completions]) -> Completions:
    """One of each."""
    return frozenset(frozenset[str]().union(*choice) for choice in itertools.product(*parts))


@singledispatch
def completions(term: Term, place: Place, look: Look) -> Completions:
    """Each set of variables that may get events until nothing more has to come; what is repeated counts once."""
    raise TypeError(type(term))


@completions.register
def _(term: Done | Negation | Timer, place: Place, look: Look) -> Completions:
    return NOTHING


@completions.register
def _(term: Element | Group, place: Place, look: Look) -> Completions:
    if isinstance(term, Element) and term.quantifier is None:
        return frozenset({frozenset({term.variable})})
    return _repeated(term, 0, place, look)


@completions.register
def _(term: Links | Conjunction | Both, place: Place, look: Look) -> Completions:
    return together(completions(part, place, look) for part in term.parts)


@completions.register
def _(term: Alternative, place: Place, look: Look) -> Completions:
    return frozenset().union(*(completions(branch, place, look) for branch in term.branches))


@completions.register
def _(term: Rest, place: Place, look: Look) -> Completions:
    return together(completions(part, place, look) for part in (term.head, *(part for _, part in term.tail)))


@completions.register
def _(term: Loop, place: Place, look: Look) -> Completions:
    inside = (*place, (term.node.span.start, term.count)) if isinstance(term.node, Group) else place
    current = completions(term.current, inside, look)
    return together((current, _repeated(term.node, term.count + 1, place, look)))


def _repeated(node: Element | Group, count: int, place: Place, look: Look) -> Completions:
    """What further repetitions bind, `count` of which have come."""
    quantifier = node.quantifier
    assert quantifier is not None
    stops, goes = count >= quantifier.minimum, quantifier.maximum is None or count < quantifier.maximum
    if quantifier.every_length:
        goes = look.goes_on((node.span.start, place), count, may_stop=stops, may_go=goes)
        stops = not goes
    body = node.pattern if isinstance(node, Group) else replace(node, quantifier=None)
    inside = (*place, (node.span.start, count)) if isinstance(node, Group) else place
    return (completions(body, inside, look) if goes else frozenset()) | (NOTHING if stops else frozenset())
