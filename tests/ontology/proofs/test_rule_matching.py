"""Which instances of which rules conclude a triple."""

from __future__ import annotations

from kaicep.ontology.proofs.rule_matching import RuleIndex, instances
from kaicep.ontology.reasoners import Pattern, Rule
from pyoxigraph import NamedNode, RdfFormat, Store, Triple
from support.ontologies import PREAMBLE, X

P, Q, R = (NamedNode(X + name) for name in "pqr")
A, B, C = (NamedNode(X + name) for name in "abc")
CHAIN = Rule("chain", (("?x", P, "?y"), ("?y", Q, "?z")), ("?x", R, "?z"))
SWAP = Rule("swap", (("?y", "?p", "?x"),), ("?x", "?p", "?y"))
SELF = Rule("self", (("?x", P, "?x"),), ("?x", R, "?x"))
INDEX = RuleIndex((CHAIN, SWAP, SELF))


def store_of(text: str) -> Store:
    store = Store()
    store.load((PREAMBLE + text).encode(), RdfFormat.TURTLE)
    return store


def test_rules_whose_head_fits_come_in_their_order_with_what_is_bound() -> None:
    found = [(rule.name, bound) for rule, bound in INDEX.concluding(Triple(A, R, B))]
    assert found == [("chain", {"?x": A, "?z": B}), ("swap", {"?x": A, "?p": R, "?y": B})]


def test_a_variable_that_stands_twice_is_one_term() -> None:
    assert "self" in [rule.name for rule, _ in INDEX.concluding(Triple(A, R, A))]
    assert "self" not in [rule.name for rule, _ in INDEX.concluding(Triple(A, R, B))]


def test_every_instance_has_its_premises_in_the_order_of_the_rule() -> None:
    store = store_of(":a :p :b , :c . :b :q :a . :c :q :a . :c :q :b .")
    found = [instance.premises for instance in instances(store, CHAIN, {"?x": A, "?z": A})]
    assert sorted(found, key=str) == [(Triple(A, P, B), Triple(B, Q, A)), (Triple(A, P, C), Triple(C, Q, A))]


def test_premises_of_a_rule_without_a_body_are_none() -> None:
    (instance,) = instances(Store(), Rule("axiom", (), (A, P, B)), {})
    assert instance.premises == ()


def test_a_literal_is_no_subject() -> None:
    body: tuple[Pattern, ...] = (("?x", P, "?y"), ("?y", Q, "?z"))
    assert list(instances(store_of(":a :p 5 ."), Rule("chain", body, ("?x", R, "?z")), {})) == []


def test_a_number_must_be_one_where_the_rule_says_so() -> None:
    rule = Rule("at most one", (("?x", P, "?one"),), ("?x", R, "?x"), "?one")
    ones = store_of(":a :p 1 . :b :p 2 . :c :p 01 .")
    assert {instance.premises[0].subject for instance in instances(ones, rule, {})} == {A, C}
