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
from .owl_rules import Pattern, Rule, general_rules

_MEMBERS = "rdf:rest*/rdf:first"
_FIRST, _REST, _NIL = NamedNode(RDF + "first"), NamedNode(RDF + "rest"), NamedNode(RDF + "nil")
_CHAIN, _KEY, _INVERSE, _SAME = (
    NamedNode(OWL + name) for name in ("propertyChainAxiom", "hasKey", "inverseOf", "sameAs")
)

_OF_REFLEXIVE = {"scm-cls", "scm-op", "scm-dp"}
_LEFT_OUT = tuple(
    rule
    for rule in general_rules()
    if rule.name.startswith(("scm-", "cls-max", "prp-ifp")) and rule.name not in _OF_REFLEXIVE
)
_OVER_LISTS = {
    "scm-int": f"{{ ?a rdfs:subClassOf ?b }} WHERE {{ ?a owl:intersectionOf/{_MEMBERS} ?b FILTER(?a != ?b) }}",
    "scm-uni": f"{{ ?b rdfs:subClassOf ?a }} "
    f"WHERE {{ ?a (owl:unionOf|owl:disjointUnionOf)/{_MEMBERS} ?b FILTER(?a != ?b) }}",
    "cls-oo": f"{{ ?x rdf:type ?c }} WHERE {{ ?c owl:oneOf/{_MEMBERS} ?x FILTER(!isLiteral(?x)) }}",
}


def derive(store: Store) -> set[Triple]:
    """Apply every rule until nothing is new; returns what was added to the store."""
    added: set[Triple] = set()
    while new := {triple for triple in _consequences(store) if Quad(*triple) not in store}:
        store.extend(Quad(*triple) for triple in new)
        added |= new
    return added


def _consequences(store: Store) -> Iterator[Triple]:
    for rule in (*_GENERAL, *_OVER_LISTS.values(), *_chains(store), *_keys(store)):
        yield from _construct(store, "CONSTRUCT " + rule)


def _sparql(rule: Rule) -> str:
    """A rule as SPARQL; what it says of a term and itself, or of literals that are the same, is left out."""
    subject, predicate, value = rule.head
    tests = [f"{subject} != {value}"]
    if predicate == _SAME:
        tests += [f"!isLiteral({subject})", f"!isLiteral({value})"]
    if rule.one is not None:
        tests.append(f"{rule.one} = 1")
    body = " . ".join(map(_pattern_text, rule.body))
    return f"{{ {_pattern_text(rule.head)} }} WHERE {{ {body} FILTER({' && '.join(tests)}) }}"


def _pattern_text(pattern: Pattern) -> str:
    return " ".join(map(str, pattern))


_GENERAL = tuple(_sparql(rule) for rule in _LEFT_OUT)


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
