"""Whether PATHs of an event follow from others: a pattern holds wherever a part of it, or a more special one, does.

A flat PATH follows from another one into which it can be mapped triple by triple (Chandra and Merlin, *Optimal
implementation of conjunctive queries*, 1977), where `a` follows from `a` of a subclass, a property from one below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from rdflib import RDF, BNode, URIRef, Variable
from rdflib.term import Node

from ..nodes import AllOf, AnyOf, KnownTerms, Semantics, Subquery, Triple

__all__ = ["path_covers"]

Mapped: TypeAlias = Mapping[str, Node]
"""Variables of a PATH, by name → what they are mapped to."""


def path_covers(
    wide: Semantics | None, narrow: Semantics | None, terms: KnownTerms | None
) -> Iterator[Mapping[str, str]]:
    """The ways in which the PATHs of one variable follow from those of another one that it is mapped to.

    Args:
        wide: what is to follow.
        narrow: what holds.
        terms: classes and properties; `None`: none is known to be below another.

    Yields:
        semantic variable of `wide` → the one of `narrow` that it is mapped to.
    """
    for found in _all(_parts(wide), _parts(narrow), {}, terms):
        used = set(_bindings(wide))
        renamed = {name: str(term) for name, term in found.items() if name in used and isinstance(term, Variable)}
        if used == renamed.keys():
            yield renamed


def _parts(semantics: Semantics | None) -> tuple[Semantics, ...]:
    match semantics:
        case None:
            return ()
        case AllOf(parts=parts):
            return tuple(inner for part in parts for inner in _parts(part))
        case _:
            return (semantics,)


def _bindings(semantics: Semantics | None) -> Iterator[str]:
    for part in _parts(semantics):
        match part:
            case Subquery(bindings=bindings):
                yield from bindings
            case AnyOf(parts=branches):
                for branch in branches:
                    yield from _bindings(branch)


def _all(
    wide: Sequence[Semantics], narrow: Sequence[Semantics], found: Mapped, terms: KnownTerms | None
) -> Iterator[Mapped]:
    """What follows part by part; each from one of those that hold."""
    if not wide:
        yield found
        return
    for held in narrow:
        for more in _follows(wide[0], held, found, terms):
            yield from _all(wide[1:], narrow, more, terms)


def _follows(wide: Semantics, narrow: Semantics, found: Mapped, terms: KnownTerms | None) -> Iterator[Mapped]:
    """How one part follows from another, whose branches are told apart."""
    if isinstance(narrow, AnyOf):
        if not [*_bindings(wide)] and all(_is_some(_follows(wide, each, {}, terms)) for each in narrow.parts):
            yield found
    elif isinstance(wide, AnyOf):
        for branch in wide.parts:
            if not [*_bindings(wide)] and _is_some(_all(_parts(branch), _parts(narrow), {}, terms)):
                yield found
                return
    elif isinstance(narrow, AllOf) or isinstance(wide, AllOf):
        if not [*_bindings(wide)] and _is_some(_all(_parts(wide), _parts(narrow), {}, terms)):
            yield found
    else:
        yield from _subquery_follows(wide, narrow, found, terms)


def _is_some(ways: Iterator[Mapped]) -> bool:
    """Whether there is a way; it may be one that maps nothing."""
    return next(ways, None) is not None


def _subquery_follows(wide: Subquery, narrow: Subquery, found: Mapped, terms: KnownTerms | None) -> Iterator[Mapped]:
    if _renamed(wide.text, wide.variable, narrow.variable) == narrow.text:
        same = {name: Variable(name) for name in wide.bindings}
        if all(found.get(name, term) == term for name, term in same.items()):
            yield {**found, **same}
        return
    if not (wide.flat and narrow.flat):
        return
    begin = {**{n: t for n, t in found.items() if n in wide.bindings}, wide.variable: Variable(narrow.variable)}
    for mapped in _mapped(wide.triples, narrow.triples, begin, terms):
        said = {each.text for each in narrow.filters}
        if all(_substituted(each.text, mapped) in said for each in wide.filters):
            yield {**found, **{name: term for name, term in mapped.items() if name in wide.bindings}}


def _mapped(
    wide: Sequence[Triple], narrow: Sequence[Triple], found: Mapped, terms: KnownTerms | None
) -> Iterator[Mapped]:
    if not wide:
        yield found
        return
    for held in narrow:
        more = _triple(wide[0], held, found, terms)
        if more is not None:
            yield from _mapped(wide[1:], narrow, more, terms)


def _triple(wide: Triple, narrow: Triple, found: Mapped, terms: KnownTerms | None) -> Mapped | None:
    """What variables are mapped to, so that a triple follows from another one."""
    if not _property_follows(wide.predicate, narrow.predicate, terms):
        return None
    mapped = dict(found)
    for asked, held, is_object in ((wide.subject, narrow.subject, False), (wide.object, narrow.object, True)):
        if isinstance(asked, Variable | BNode):
            if mapped.setdefault(str(asked), held) != held:  # type: ignore[arg-type]  # it is a term
                return None
        elif asked != held and not (is_object and wide.predicate == RDF.type and _is_below(held, asked, terms)):
            return None
    return mapped


def _property_follows(wide: object, narrow: object, terms: KnownTerms | None) -> bool:
    if isinstance(wide, Variable):
        return False
    if wide == narrow:
        return True
    known = terms is not None and isinstance(wide, URIRef) and isinstance(narrow, URIRef)
    return known and str(wide) in terms.superproperties(str(narrow))  # type: ignore[union-attr]  # it is known


def _is_below(narrow: object, wide: object, terms: KnownTerms | None) -> bool:
    known = terms is not None and isinstance(wide, URIRef) and isinstance(narrow, URIRef)
    return known and str(wide) in terms.superclasses(str(narrow))  # type: ignore[union-attr]  # it is known


def _renamed(text: str, variable: str, name: str) -> str:
    return re.sub(rf"[?$]{re.escape(variable)}\b", f"?{name}", text)


def _substituted(text: str, mapped: Mapped) -> str:
    """A FILTER in terms of what its variables are mapped to."""
    return re.sub(r"[?$](\w+)", lambda m: mapped[m[1]].n3() if m[1] in mapped else m[0], text)
