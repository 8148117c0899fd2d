"""Rules for properties without a name: with the named one, the other way round."""

from __future__ import annotations

from kaicep.ontology.proofs.inverses import INVERSE, Inverses, inverse_rules, inverses, walked_backwards
from kaicep.ontology.reasoners import Rule
from pyoxigraph import BlankNode, NamedNode, RdfFormat, Store
from support.ontologies import PREAMBLE, X

P, Q = NamedNode(X + "p"), NamedNode(X + "q")
NODE = BlankNode("n")
NAMELESS: Inverses = {NODE: P}


def test_only_inverses_without_a_name_are_meant() -> None:
    store = Store()
    store.load(
        (PREAMBLE + ":q owl:inverseOf :p . [] owl:inverseOf :p . [] owl:inverseOf [] .").encode(), RdfFormat.TURTLE
    )
    assert list(inverses(store).values()) == [P]


def test_a_rule_that_uses_one_is_walked_backwards_and_says_so() -> None:
    rule = Rule("chain", (("?x", NODE, "?y"), ("?y", Q, "?z")), ("?x", Q, "?z"))
    assert walked_backwards(rule, NAMELESS) == Rule(
        "chain", (("?y", P, "?x"), ("?y", Q, "?z"), (NODE, INVERSE, P)), ("?x", Q, "?z")
    )


def test_a_rule_that_uses_none_stays_as_it_is() -> None:
    rule = Rule("chain", (("?x", Q, "?y"),), ("?y", Q, "?x"))
    assert walked_backwards(rule, NAMELESS) is rule


def test_a_rule_of_any_property_is_one_of_each_nameless_one() -> None:
    rule = Rule("swap", (("?x", "?p", "?y"), ("?p", Q, "?c")), ("?y", "?p", "?x"))
    (found,) = inverse_rules([rule, Rule("other", (("?x", Q, "?y"),), ("?y", Q, "?x"))], NAMELESS)
    assert found == Rule("swap", (("?y", P, "?x"), (NODE, Q, "?c"), (NODE, INVERSE, P)), ("?x", P, "?y"))
