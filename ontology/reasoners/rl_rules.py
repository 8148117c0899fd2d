"""The rules of OWL 2 RL that the `reasonable` library leaves out or gets wrong, as SPARQL over the store.

Found by comparing it with owlrl on generated ontologies (`tests/ontology/reasoners/test_rl.py`). Left out on
purpose, here as there: what is true of everything (reflexive `owl:sameAs`, `rdfs:subClassOf owl:Thing`)
and types of literals. What is below itself, `reflexive.py` adds; what is below others by others, `hierarchy.py`.

Source: W3C, OWL 2 Web Ontology Language Profiles, second edition, §4.3, tables 4-9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyoxigraph import BlankNode, NamedNode, Quad, QueryTriples, Store, Triple

from ..terms import OWL, PREFIXES, RDF, RDFS, TYPE, Term
from .hierarchy import HIERARCHY_RULES, USUAL_LIMITS, ClosureLimits, hierarchies
from .owl_rules import Pattern, Rule, general_rules

_FIRST, _REST, _NIL = NamedNode(RDF + "first"), NamedNode(RDF + "rest"), NamedNode(RDF + "nil")
_CHAIN, _KEY, _INVERSE, _SAME, _ALL, _ANY, _EITHER, _ONE = (
    NamedNode(OWL + name)
    for name in (
        *("propertyChainAxiom", "hasKey", "inverseOf", "sameAs"),
        *("intersectionOf", "unionOf", "disjointUnionOf", "oneOf"),
    )
)
_BELOW = NamedNode(RDFS + "subClassOf")
_OF_LISTS = ("scm-int", "scm-uni", "cls-oo")

_ELSEWHERE = HIERARCHY_RULES | {"scm-cls", "scm-op", "scm-dp"}
_LEFT_OUT = tuple(
    rule
    for rule in general_rules()
    if rule.name.startswith(("scm-", "cls-max", "prp-ifp")) and rule.name not in _ELSEWHERE
)


def derive(store: Store, limits: ClosureLimits = USUAL_LIMITS, prefixes: Mapping[str, str] = PREFIXES) -> set[Triple]:
    """Apply every rule until nothing is new.

    Args:
        store: what is known; what follows is added to it.
        limits: how much `hierarchies` may add.
        prefixes: for messages.

    Returns:
        What was added.

    Raises:
        OntologyError: more would follow.
    """
    added: set[Triple] = set()
    while True:
        new = {*hierarchies(store, limits, prefixes)}
        store.extend(Quad(*triple) for triple in new)
        more = {triple for triple in _consequences(store) if Quad(*triple) not in store}
        store.extend(Quad(*triple) for triple in more)
        added |= new | more
        if not more:
            return added


def _consequences(store: Store) -> Iterator[Triple]:
    for rule in (*_GENERAL, *_chains(store), *_keys(store)):
        yield from _construct(store, "CONSTRUCT " + rule)
    yield from _of_lists(store)


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


def _of_lists(store: Store) -> Iterator[Triple]:
    """`_OF_LISTS`; SPARQL would find the members of every list there is, the rests of it one by one."""
    for predicate in (_ALL, _ANY, _EITHER, _ONE):
        for axiom in store.quads_for_pattern(None, predicate, None):
            for member in _members(store, axiom.object):
                if isinstance(member, NamedNode | BlankNode) and isinstance(axiom.subject, NamedNode | BlankNode):
                    if predicate == _ONE:
                        yield Triple(member, TYPE, axiom.subject)
                    elif member != axiom.subject:
                        below, above = (axiom.subject, member) if predicate == _ALL else (member, axiom.subject)
                        yield Triple(below, _BELOW, above)


def _members(store: Store, head: Term) -> Iterator[Term]:
    """What is in an RDF list, also in one that goes on in several ways or comes back to itself."""
    seen: set[Term] = set()
    waiting = [head]
    while waiting:
        node = waiting.pop()
        if isinstance(node, NamedNode | BlankNode) and node not in seen:
            seen.add(node)
            yield from (quad.object for quad in store.quads_for_pattern(node, _FIRST, None))
            waiting += [quad.object for quad in store.quads_for_pattern(node, _REST, None)]


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
