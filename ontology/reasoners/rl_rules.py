"""The rules of OWL 2 RL that the `reasonable` library leaves out or gets wrong, as SPARQL over the store.

Found by comparing it with owlrl on generated ontologies (`tests/ontology/reasoners/test_rl.py`). Left out on
purpose, here as there: what is true of everything (reflexive `owl:sameAs`, `rdfs:subClassOf owl:Thing`)
and types of literals. What is below itself, `reflexive.py` adds.

Source: W3C, OWL 2 Web Ontology Language Profiles, second edition, §4.3, tables 4-9.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyoxigraph import BlankNode, NamedNode, Quad, QueryTriples, Store, Triple

from ..terms import OWL, PREFIXES, RDF, Term

_MEMBERS = "rdf:rest*/rdf:first"
_FIRST, _REST, _NIL = NamedNode(RDF + "first"), NamedNode(RDF + "rest"), NamedNode(RDF + "nil")
_CHAIN, _KEY, _INVERSE = (NamedNode(OWL + name) for name in ("propertyChainAxiom", "hasKey", "inverseOf"))

RULES: dict[str, str] = {
    "scm-sco": "{ ?a rdfs:subClassOf ?c } WHERE { ?a rdfs:subClassOf/rdfs:subClassOf ?c FILTER(?a != ?c) }",
    "scm-eqc1": "{ ?a rdfs:subClassOf ?b . ?b rdfs:subClassOf ?a } "
    "WHERE { ?a owl:equivalentClass ?b FILTER(?a != ?b) }",
    "scm-eqc2": "{ ?a owl:equivalentClass ?b } "
    "WHERE { ?a rdfs:subClassOf ?b . ?b rdfs:subClassOf ?a FILTER(?a != ?b) }",
    "scm-spo": "{ ?a rdfs:subPropertyOf ?c } WHERE { ?a rdfs:subPropertyOf/rdfs:subPropertyOf ?c FILTER(?a != ?c) }",
    "scm-eqp1": "{ ?a rdfs:subPropertyOf ?b . ?b rdfs:subPropertyOf ?a } "
    "WHERE { ?a owl:equivalentProperty ?b FILTER(?a != ?b) }",
    "scm-eqp2": "{ ?a owl:equivalentProperty ?b } "
    "WHERE { ?a rdfs:subPropertyOf ?b . ?b rdfs:subPropertyOf ?a FILTER(?a != ?b) }",
    "scm-dom1": "{ ?p rdfs:domain ?c } WHERE { ?p rdfs:domain/rdfs:subClassOf ?c }",
    "scm-dom2": "{ ?p rdfs:domain ?c } WHERE { ?p rdfs:subPropertyOf/rdfs:domain ?c }",
    "scm-rng1": "{ ?p rdfs:range ?c } WHERE { ?p rdfs:range/rdfs:subClassOf ?c }",
    "scm-rng2": "{ ?p rdfs:range ?c } WHERE { ?p rdfs:subPropertyOf/rdfs:range ?c }",
    "scm-hv": "{ ?a rdfs:subClassOf ?b } WHERE { ?a owl:hasValue ?v ; owl:onProperty ?p . "
    "?b owl:hasValue ?v ; owl:onProperty ?q . ?p rdfs:subPropertyOf ?q }",
    "scm-svf1": "{ ?a rdfs:subClassOf ?b } WHERE { ?a owl:someValuesFrom ?c ; owl:onProperty ?p . "
    "?b owl:someValuesFrom ?d ; owl:onProperty ?p . ?c rdfs:subClassOf ?d FILTER(?a != ?b) }",
    "scm-svf2": "{ ?a rdfs:subClassOf ?b } WHERE { ?a owl:someValuesFrom ?c ; owl:onProperty ?p . "
    "?b owl:someValuesFrom ?c ; owl:onProperty ?q . ?p rdfs:subPropertyOf ?q FILTER(?a != ?b) }",
    "scm-avf1": "{ ?a rdfs:subClassOf ?b } WHERE { ?a owl:allValuesFrom ?c ; owl:onProperty ?p . "
    "?b owl:allValuesFrom ?d ; owl:onProperty ?p . ?c rdfs:subClassOf ?d FILTER(?a != ?b) }",
    "scm-avf2": "{ ?b rdfs:subClassOf ?a } WHERE { ?a owl:allValuesFrom ?c ; owl:onProperty ?p . "
    "?b owl:allValuesFrom ?c ; owl:onProperty ?q . ?p rdfs:subPropertyOf ?q FILTER(?a != ?b) }",
    "scm-int": f"{{ ?a rdfs:subClassOf ?b }} WHERE {{ ?a owl:intersectionOf/{_MEMBERS} ?b FILTER(?a != ?b) }}",
    "scm-uni": f"{{ ?b rdfs:subClassOf ?a }} "
    f"WHERE {{ ?a (owl:unionOf|owl:disjointUnionOf)/{_MEMBERS} ?b FILTER(?a != ?b) }}",
    "prp-ifp": "{ ?x owl:sameAs ?y } WHERE { ?p rdf:type owl:InverseFunctionalProperty . "
    "?x ?p ?v . ?y ?p ?v FILTER(?x != ?y) }",
    "cls-oo": f"{{ ?x rdf:type ?c }} WHERE {{ ?c owl:oneOf/{_MEMBERS} ?x FILTER(!isLiteral(?x)) }}",
    "cls-maxc2": "{ ?y owl:sameAs ?z } WHERE { ?r (owl:maxCardinality|owl:cardinality) ?n ; "
    "owl:onProperty ?p . FILTER(?n = 1) ?x rdf:type ?r ; ?p ?y , ?z . "
    "FILTER(?y != ?z && !isLiteral(?y) && !isLiteral(?z)) }",
    "cls-maxqc3": "{ ?y owl:sameAs ?z } WHERE { ?r (owl:maxQualifiedCardinality|owl:qualifiedCardinality) ?n ; "
    "owl:onProperty ?p ; owl:onClass ?c . FILTER(?n = 1) ?x rdf:type ?r ; ?p ?y , ?z . "
    "?y rdf:type ?c . ?z rdf:type ?c . FILTER(?y != ?z) }",
    "cls-maxqc4": "{ ?y owl:sameAs ?z } WHERE { ?r (owl:maxQualifiedCardinality|owl:qualifiedCardinality) ?n ; "
    "owl:onProperty ?p ; owl:onClass owl:Thing . FILTER(?n = 1) ?x rdf:type ?r ; ?p ?y , ?z . "
    "FILTER(?y != ?z && !isLiteral(?y) && !isLiteral(?z)) }",
}
"""Rule name in the standard → the rest of a CONSTRUCT."""


def derive(store: Store) -> set[Triple]:
    """Apply every rule until nothing is new; returns what was added to the store."""
    added: set[Triple] = set()
    while new := {triple for triple in _consequences(store) if Quad(*triple) not in store}:
        store.extend(Quad(*triple) for triple in new)
        added |= new
    return added


def _consequences(store: Store) -> Iterator[Triple]:
    for rule in (*RULES.values(), *_chains(store), *_keys(store)):
        yield from _construct(store, "CONSTRUCT " + rule)


def _chains(store: Store) -> Iterator[str]:
    """prp-spo2: one rule per `owl:propertyChainAxiom`."""
    for axiom in store.quads_for_pattern(None, _CHAIN, None):
        if isinstance(axiom.subject, NamedNode) and (steps := _steps(store, axiom.object)):
            yield f"{{ ?x {axiom.subject} ?y }} WHERE {{ ?x {'/'.join(steps)} ?y }}"


def _keys(store: Store) -> Iterator[str]:
    """prp-key: one rule per `owl:hasKey` of a named class."""
    for axiom in store.quads_for_pattern(None, _KEY, None):
        if isinstance(axiom.subject, NamedNode) and (keys := _steps(store, axiom.object)):
            same = " ".join(f"?x {key} ?v{n} . ?y {key} ?v{n} ." for n, key in enumerate(keys))
            typed = f"?x rdf:type {axiom.subject} . ?y rdf:type {axiom.subject} ."
            yield f"{{ ?x owl:sameAs ?y }} WHERE {{ {typed} {same} FILTER(?x != ?y) }}"


def _steps(store: Store, head: Term | None) -> list[str]:
    """The properties of an RDF list as SPARQL paths, `^p` for `[ owl:inverseOf p ]`; none if it holds anything else."""
    steps: list[str] = []
    while head is not None and head != _NIL:
        first, rest = _object(store, head, _FIRST), _object(store, head, _REST)
        if isinstance(first, BlankNode) and isinstance(inverse := _object(store, first, _INVERSE), NamedNode):
            steps.append(f"^{inverse}")
        elif isinstance(first, NamedNode):
            steps.append(str(first))
        else:
            return []
        head = rest
    return steps


def _object(store: Store, subject: Term | None, predicate: NamedNode) -> Term | None:
    if not isinstance(subject, NamedNode | BlankNode):
        return None
    quad = next(store.quads_for_pattern(subject, predicate, None), None)
    return quad.object if quad else None


def _construct(store: Store, query: str) -> QueryTriples:
    result = store.query(query, prefixes=dict(PREFIXES))
    assert isinstance(result, QueryTriples)  # noqa: S101 (what CONSTRUCT gives, said to the type checker)
    return result
