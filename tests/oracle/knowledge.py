"""The knowledge base: modules read with rdflib, closed by the rules, asked what it knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import kaicep
from kaicep.language.nodes.measures import Unit
from kaicep.language.nodes.types import ValueType, type_of_datatype
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, URIRef
from rdflib.term import Node

Triple = tuple[Node, Node, Node]
Triples = frozenset[Triple]


class Knowledge:
    """A closed knowledge base; as `language.nodes.vocabulary.KnownTerms` it answers the checker's questions."""

    def __init__(self, triples: Triples) -> None:
        self.triples = triples
        self.graph = Graph()
        self._all_properties: dict[str, frozenset[str]] = {}
        for triple in triples:
            self.graph.add(triple)

    def equivalents(self, iri: str) -> frozenset[str]:
        """What is declared the same as `iri`, itself left out."""
        same = (OWL.equivalentProperty, OWL.equivalentClass, OWL.sameAs)
        pairs = {(str(s), str(o)) for s, p, o in self.triples if p in same and isinstance(o, URIRef)}
        pairs |= {(o, s) for s, o in pairs}
        found = {iri}
        while more := {o for s, o in pairs if s in found} - found:
            found |= more
        return frozenset(found - {iri})

    def superproperties(self, iri: str) -> frozenset[str]:
        """Every property that holds wherever `iri` does."""
        return self._objects(iri, RDFS.subPropertyOf)

    def all_properties(self, iri: str) -> frozenset[str]:
        """The property with its equivalents and superproperties: all that an event with a value of it has."""
        if iri not in self._all_properties:
            self._all_properties[iri] = self.equivalents(iri) | self.superproperties(iri) | {iri}
        return self._all_properties[iri]

    def superclasses(self, iri: str) -> frozenset[str]:
        """Every class that the members of `iri` are in."""
        return self._objects(iri, RDFS.subClassOf)

    def individual(self, prop: str, key: str) -> str | None:
        """The individual that `prop` gives this key, `None` when there is none."""
        holders = sorted(str(s) for s, p, o in self.triples if str(p) == prop and str(o) == key)
        return holders[0] if holders else None

    def is_class(self, iri: str) -> bool:
        """Whether something says that `iri` is a class."""
        node = URIRef(iri)
        return (node, RDF.type, OWL.Class) in self.triples or any(
            p == RDFS.subClassOf and node in (s, o) for s, p, o in self.triples
        )

    def is_property(self, iri: str) -> bool:
        """Whether something says that `iri` is a property, or uses it as one."""
        node = URIRef(iri)
        kinds = (OWL.ObjectProperty, OWL.DatatypeProperty, RDF.Property)
        return any((node, RDF.type, kind) in self.triples for kind in kinds) or any(
            p == node or (p == RDFS.subPropertyOf and node in (s, o)) for s, p, o in self.triples
        )

    def is_known(self, iri: str) -> bool:
        """Whether `iri` occurs at all."""
        return any(URIRef(iri) in triple for triple in self.triples)

    def terms(self) -> tuple[str, ...]:
        """All names, for suggestions."""
        return tuple(sorted({str(n) for t in self.triples for n in t if isinstance(n, URIRef)}))

    def range_of(self, prop: str) -> ValueType:
        """The type of the property's values: by its range, else by the values that it has."""
        names = {prop, *self.superproperties(prop), *self.equivalents(prop)}
        ranges = {str(o) for s, p, o in self.triples if str(s) in names and p == RDFS.range}
        types = {type_of_datatype(r) or ValueType.IRI for r in ranges}
        if len(types) != 1 and any((URIRef(name), RDF.type, OWL.ObjectProperty) in self.triples for name in names):
            types = {ValueType.IRI}
        if len(types) != 1:
            types = {_type_of_value(o) for _, p, o in self.triples if str(p) == prop}
        return types.pop() if len(types) == 1 else ValueType.TERM

    def unit(self, iri: str) -> Unit | None:
        """The unit as QUDT has it."""
        of = {str(p).rpartition("/")[2]: str(o) for p, o in _qudt().predicate_objects(URIRef(iri))}
        if not {"conversionMultiplier", "hasDimensionVector"} <= of.keys():
            return None
        vector = of["hasDimensionVector"].rpartition("/")[2]
        return Unit.of(iri, of["conversionMultiplier"], vector, of.get("conversionOffset", "0"))

    def nearest_unit(self, name: str, dimension: tuple[Fraction, ...] | None) -> str | None:
        """Units are not suggested."""
        return None

    def _objects(self, iri: str, predicate: URIRef) -> frozenset[str]:
        found = {str(o) for s, p, o in self.triples if p == predicate and str(s) == iri and isinstance(o, URIRef)}
        return frozenset(found - {iri})


@lru_cache
def _qudt() -> Graph:
    graph = Graph()
    for path in (Path(kaicep.__file__).parent / "ontologies" / "qudt").glob("*.ttl"):
        graph.parse(path)
    return graph


def _type_of_value(term: Node) -> ValueType:
    if isinstance(term, URIRef):
        return ValueType.IRI
    if isinstance(term, Literal) and not term.language:
        return (type_of_datatype(str(term.datatype)) if term.datatype else ValueType.STRING) or ValueType.TERM
    return ValueType.TERM


def knowledge_of(settings: Mapping[str, Any]) -> Knowledge:
    """The knowledge base of a project's settings (Turtle modules, named by absolute paths)."""
    section = settings.get("knowledge", {})
    texts = tuple(Path(module).read_text(encoding="utf-8") for module in section.get("modules", ()))
    return knowledge_from(texts, section.get("reasoner", "rl"))


@lru_cache(maxsize=256)
def knowledge_from(texts: tuple[str, ...], reasoner: str = "rl") -> Knowledge:
    """The union of Turtle texts, closed."""
    graph = Graph()
    for text in texts:
        graph.parse(data=text, format="turtle")
    asserted = frozenset(graph)
    return Knowledge(asserted if reasoner == "none" else closure(asserted))


def closure(triples: Triples) -> Triples:
    """The rules again and again until they say nothing new."""
    known = set(triples)
    while new := {t for t in _consequences(known) if not isinstance(t[0], Literal)} - known:
        known |= new
    return frozenset(known)


def _consequences(known: set[Triple]) -> Iterator[Triple]:
    """What OWL 2 RL's rules for hierarchies, equality and property characteristics say of these triples at once."""
    by: dict[Node, list[tuple[Node, Node]]] = {}
    for s, p, o in known:
        by.setdefault(p, []).append((s, o))
    yield from _equivalences(by)
    for p in (RDFS.subClassOf, RDFS.subPropertyOf, OWL.sameAs, *_with_type(by, OWL.TransitiveProperty)):
        yield from ((a, p, d) for a, b in by.get(p, ()) for c, d in by.get(p, ()) if b == c)
    for p in (OWL.sameAs, OWL.inverseOf, *_with_type(by, OWL.SymmetricProperty)):
        yield from ((o, p, s) for s, o in by.get(p, ()))
    yield from ((x, RDF.type, b) for x, c in by.get(RDF.type, ()) for a, b in by.get(RDFS.subClassOf, ()) if c == a)
    yield from ((x, q, y) for p, q in by.get(RDFS.subPropertyOf, ()) for x, y in by.get(p, ()))
    yield from ((y, q, x) for p, q in by.get(OWL.inverseOf, ()) for x, y in by.get(p, ()))
    yield from ((x, RDF.type, c) for p, c in by.get(RDFS.domain, ()) for x, _ in by.get(p, ()))
    yield from ((y, RDF.type, c) for p, c in by.get(RDFS.range, ()) for _, y in by.get(p, ()))
    for a, b in by.get(OWL.sameAs, ()):
        for s, p, o in known:
            yield b if s == a else s, b if p == a else p, b if o == a else o


def _equivalences(by: Mapping[Node, Iterable[tuple[Node, Node]]]) -> Iterator[Triple]:
    pairs = {OWL.equivalentClass: RDFS.subClassOf, OWL.equivalentProperty: RDFS.subPropertyOf}
    for same, below in pairs.items():
        for a, b in by.get(same, ()):
            yield from ((a, below, b), (b, below, a), (b, same, a))


def _with_type(by: Mapping[Node, Iterable[tuple[Node, Node]]], kind: URIRef) -> list[Node]:
    return [s for s, o in by.get(RDF.type, ()) if o == kind and not isinstance(s, BNode)]
