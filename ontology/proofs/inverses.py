"""Rules for properties without a name, `[ owl:inverseOf p ]`.

No RDF triple can have a blank node as its predicate, so the standard's rules, which speak of generalized triples, are
written with `p` the other way round where such a property stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pyoxigraph import BlankNode, NamedNode, Store

from ..reasoners import Pattern, Rule, Slot
from ..terms import OWL

INVERSE = NamedNode(OWL + "inverseOf")
Inverses = Mapping[Slot, NamedNode]
"""Each blank node that is the inverse of a named property, and that property."""


def inverses(stated: Store) -> Inverses:
    """The nameless properties that modules state."""
    found = stated.quads_for_pattern(None, INVERSE, None, None)
    pairs = ((quad.subject, quad.object) for quad in found)
    return {b: p for b, p in pairs if isinstance(b, BlankNode) and isinstance(p, NamedNode)}


def inverse_rules(rules: Iterable[Rule], nameless: Inverses) -> Iterator[Rule]:
    """Each rule that speaks of any property, once more for every nameless one."""
    for rule in rules:
        patterns = (*rule.body, rule.head)
        properties = {p for _, p, _ in patterns if isinstance(p, str)}
        for variable in sorted(properties):
            for node in nameless:
                body = [_put(pattern, variable, node) for pattern in rule.body]
                yield walked_backwards(
                    Rule(rule.name, tuple(body), _put(rule.head, variable, node), rule.one), nameless
                )


def walked_backwards(rule: Rule, nameless: Inverses) -> Rule:
    """The rule with every nameless property as its inverse, which the body then states."""
    used = {p for _, p, _ in (*rule.body, rule.head)} & nameless.keys()
    if not used:
        return rule
    stated: list[Pattern] = [(node, INVERSE, nameless[node]) for node in sorted(used, key=str)]
    body = (*(_turned(pattern, nameless) for pattern in rule.body), *stated)
    return Rule(rule.name, body, _turned(rule.head, nameless), rule.one)


def _turned(pattern: Pattern, nameless: Inverses) -> Pattern:
    subject, predicate, value = pattern
    return (value, nameless[predicate], subject) if predicate in nameless else pattern


def _put(pattern: Pattern, variable: str, node: Slot) -> Pattern:
    subject, predicate, value = (node if slot == variable else slot for slot in pattern)
    return subject, predicate, value
