"""Hierarchies are closed as joins of their pairs would close them, and refused before they are made too large."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.errors import OntologyError
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.modules import Module
from kaicep.ontology.reasoners.hierarchy import USUAL_LIMITS, hierarchies
from kaicep.ontology.terms import OWL, RDFS
from pyoxigraph import NamedNode, Quad, RdfFormat, Store
from support.ontologies import PREAMBLE, X

BELOW, SAME = NamedNode(RDFS + "subClassOf"), NamedNode(OWL + "equivalentClass")
CLASSES = [NamedNode(X + name) for name in "ABCDEF"]
PAIRS = st.lists(st.tuples(st.sampled_from(CLASSES), st.sampled_from([BELOW, SAME]), st.sampled_from(CLASSES)))

Pairs = set[tuple[NamedNode, NamedNode]]


def joined(pairs: Pairs) -> Pairs:
    """Their transitive closure, by the rule as it stands."""
    while more := {(a, d) for (a, b), (c, d) in product(pairs, pairs) if b == c} - pairs:
        pairs = pairs | more
    return pairs


def store_of(text: str) -> Store:
    store = Store()
    store.load((PREAMBLE + text).encode(), RdfFormat.TURTLE)
    return store


@settings(deadline=None)
@given(PAIRS)
def test_the_closure_is_that_of_the_rules(stated: list[tuple[NamedNode, NamedNode, NamedNode]]) -> None:
    store = Store()
    store.extend(Quad(*triple) for triple in stated)
    below = {(s, o) for s, p, o in stated} | {(o, s) for s, p, o in stated if p == SAME}
    closed = {(a, b) for a, b in joined(below) if a != b}
    both = {(a, b) for a, b in closed if (b, a) in closed}
    expected = {(a, BELOW, b) for a, b in closed} | {(a, SAME, b) for a, b in both}
    found = hierarchies(store)
    assert {tuple(triple) for triple in found} == expected - set(stated)
    assert len(found) == len(set(found))


def test_a_hierarchy_may_be_deeper_than_the_stack() -> None:
    """170 from the top: the others have too many above them to be written down."""
    chain = " ".join(f":c{n} rdfs:subClassOf :c{n + 1} ." for n in range(170))
    assert len(hierarchies(store_of(chain))) == 170 * 171 / 2 - 170
    deep = " ".join(f":c{n} rdfs:subClassOf :c{n + 1} ." for n in range(3_000))
    with pytest.raises(OntologyError, match="more than 15,000 pairs of rdfs:subClassOf"):
        hierarchies(store_of(deep))


MANY = {
    "classes": (
        " ".join(f":Hub owl:equivalentClass [ a owl:Restriction ; rdfs:label {n} ] ." for n in range(340)),
        f"<{X}Hub> and 340 others are the same by owl:equivalentClass, directly or by others; at most 100 can be",
    ),
    "individuals": (
        " ".join(f":hub owl:sameAs :i{n} ." for n in range(340)),
        "and 340 others are the same by owl:sameAs, directly or by others; at most 100 can be",
    ),
    "a deep hierarchy": (
        " ".join(f":c{n} rdfs:subClassOf :c{n + 1} ." for n in range(1_000)),
        "too much follows: more than 20,000 pairs of rdfs:subClassOf; ",
    ),
    "a long chain": (
        ":p a owl:TransitiveProperty ." + " ".join(f":i{n} :p :i{n + 1} ." for n in range(1_500)),
        f"too much follows: more than 150,100 pairs of <{X}p>; ",
    ),
}


@pytest.mark.parametrize("case", MANY)
def test_what_would_take_without_end_is_refused_with_its_name(case: str) -> None:
    text, message = MANY[case]
    with pytest.raises(OntologyError, match=re.escape(message)) as refused:
        KnowledgeBase.of_turtle(PREAMBLE + text)
    setting = "pairs_per_statement" if message.startswith("too much") else "names_per_thing"
    assert refused.value.hint == (
        f"take statements back, raise {setting} under [knowledge], "
        'or use reasoner = "none", under which nothing follows'
    )


def test_more_may_follow_from_more() -> None:
    assert (USUAL_LIMITS.pairs, USUAL_LIMITS.over(1_000_000).pairs) == (15_000, 20_000_000)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (" ".join(f":hub owl:sameAs :i{n} ." for n in range(12)), {"names_per_thing": 13}),
        (" ".join(f":c{n} rdfs:subClassOf :c{n + 1} ." for n in range(200)), {"pairs_per_statement": 101}),
    ],
    ids=["names", "pairs"],
)
def test_whoever_allows_more_gets_more(text: str, limit: dict[str, int]) -> None:
    modules = (Module.parse("m.ttl", (PREAMBLE + text).encode()),)
    ((name, most),) = limit.items()
    KnowledgeBase(modules, limits=replace(USUAL_LIMITS, **limit))
    with pytest.raises(OntologyError, match="raise " + name):
        KnowledgeBase(modules, limits=replace(USUAL_LIMITS, **{name: most // 3}))
