"""The rules of OWL 2 RL over lists, of which every list of an ontology makes rules of its own.

The cells of the list are premises like any other, so that a proof leaves nothing unsaid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyoxigraph import BlankNode, Literal, NamedNode, Store

from ..reasoners import Pattern, Rule
from ..terms import OWL, RDF, RDFS, TYPE, Term

_FIRST, _REST, _NIL = (NamedNode(RDF + name) for name in ("first", "rest", "nil"))
_SUBCLASS, _SAME = NamedNode(RDFS + "subClassOf"), NamedNode(OWL + "sameAs")


@dataclass(frozen=True, slots=True)
class _Axiom:
    """`subject` `predicate` list; `stated`: that triple and the list's cells."""

    subject: Term
    members: tuple[Term, ...]
    stated: tuple[Pattern, ...]


def list_rules(stated: Store) -> Iterator[Rule]:
    """The rules that the lists of an ontology make.

    Args:
        stated: what the modules say, in whatever graphs.
    """
    for name, make in _MAKERS.items():
        for axiom in _axioms(stated, NamedNode(OWL + name)):
            yield from make(axiom)


def _axioms(stated: Store, predicate: NamedNode) -> Iterator[_Axiom]:
    for quad in stated.quads_for_pattern(None, predicate, None, None):
        cells = list(_cells(stated, quad.object))
        members = tuple(cell[2] for cell in cells if cell[1] == _FIRST and not isinstance(cell[2], str))
        yield _Axiom(quad.subject, members, ((quad.subject, predicate, quad.object), *cells))


def _cells(stated: Store, head: Term) -> Iterator[Pattern]:
    seen: set[Term] = set()
    while isinstance(head, NamedNode | BlankNode) and head != _NIL and head not in seen:
        seen.add(head)
        first = next(stated.quads_for_pattern(head, _FIRST, None, None), None)
        rest = next(stated.quads_for_pattern(head, _REST, None, None), None)
        if first is None or rest is None:
            return
        yield head, _FIRST, first.object
        yield head, _REST, rest.object
        head = rest.object


def _intersection(axiom: _Axiom) -> Iterator[Rule]:
    each = tuple(("?x", TYPE, member) for member in axiom.members)
    yield Rule("cls-int1", (*each, *axiom.stated), ("?x", TYPE, axiom.subject))
    for member in axiom.members:
        yield Rule("cls-int2", (("?x", TYPE, axiom.subject), *axiom.stated), ("?x", TYPE, member))
        yield Rule("scm-int", axiom.stated, (axiom.subject, _SUBCLASS, member))


def _union(axiom: _Axiom) -> Iterator[Rule]:
    for member in axiom.members:
        yield Rule("cls-uni", (("?x", TYPE, member), *axiom.stated), ("?x", TYPE, axiom.subject))
        yield Rule("scm-uni", axiom.stated, (member, _SUBCLASS, axiom.subject))


def _one_of(axiom: _Axiom) -> Iterator[Rule]:
    for member in axiom.members:
        if not isinstance(member, Literal):
            yield Rule("cls-oo", axiom.stated, (member, TYPE, axiom.subject))


def _chain(axiom: _Axiom) -> Iterator[Rule]:
    links = tuple((f"?u{n}", member, f"?u{n + 1}") for n, member in enumerate(axiom.members))
    if links:
        yield Rule("prp-spo2", (*links, *axiom.stated), ("?u0", axiom.subject, f"?u{len(links)}"))


def _key(axiom: _Axiom) -> Iterator[Rule]:
    values = [pattern for n, p in enumerate(axiom.members) for pattern in (("?x", p, f"?v{n}"), ("?y", p, f"?v{n}"))]
    of_class = (("?x", TYPE, axiom.subject), ("?y", TYPE, axiom.subject))
    if axiom.members:
        yield Rule("prp-key", (*of_class, *values, *axiom.stated), ("?x", _SAME, "?y"))


_MAKERS: dict[str, Callable[[_Axiom], Iterator[Rule]]] = {
    "intersectionOf": _intersection,
    "unionOf": _union,
    "disjointUnionOf": _union,
    "oneOf": _one_of,
    "propertyChainAxiom": _chain,
    "hasKey": _key,
}
