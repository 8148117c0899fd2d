"""Which names mean the same, and which are more general: read off the closed knowledge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyoxigraph import NamedNode, QuerySolutions, Store

from .terms import select

_EQUIVALENT = "owl:equivalentProperty|owl:equivalentClass|owl:sameAs"
_BOTH_WAYS = "^owl:equivalentProperty|^owl:equivalentClass|^owl:sameAs"


def equivalence_classes(store: Store) -> Mapping[str, frozenset[str]]:
    """Every IRI that means the same as another → all that mean the same, itself included.

    By `owl:equivalentProperty`, `owl:equivalentClass` and `owl:sameAs`, transitively and in both directions.
    """
    classes: dict[str, set[str]] = {}
    for a, b in _pairs(select(store, f"SELECT ?a ?b {{ ?a {_EQUIVALENT} ?b }}")):
        one, other = classes.setdefault(a, {a}), classes.setdefault(b, {b})
        if one is not other:
            small, large = sorted((one, other), key=len)
            large |= small
            classes.update(dict.fromkeys(small, large))
    return {iri: frozenset(members) for iri, members in classes.items()}


def more_general(store: Store, iri: str, relation: str) -> frozenset[str]:
    """The IRIs that `relation` (`rdfs:subClassOf`, `rdfs:subPropertyOf`) leads to from `iri`, without itself.

    Equivalent names are as general as it is, and belong to the answer.
    """
    path = f"({relation}|{_EQUIVALENT}|{_BOTH_WAYS})+"
    found = _pairs(select(store, f"SELECT ?a ?b {{ ?a {path} ?b }}", a=NamedNode(iri)))
    return frozenset(general for _, general in found) - {iri}


def _pairs(solutions: QuerySolutions) -> Iterator[tuple[str, str]]:
    for a, b in solutions:
        if isinstance(a, NamedNode) and isinstance(b, NamedNode):
            yield a.value, b.value
