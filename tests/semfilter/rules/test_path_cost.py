"""What a group costs is never more than is said, and parts that nothing connects are found."""

from __future__ import annotations

from itertools import permutations

import pyoxigraph as ox
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kaicep.language.nodes import Subquery
from kaicep.language.source_text import Span
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter.plan import KNOWN_SMALL
from kaicep.semfilter.rules.path_cost import most_solutions, unconnected_variable

TRIPLES = [*((f"n{i}", "p", f"n{i // 2}") for i in range(1, 30)), *((f"n{i}", "q", "hub") for i in range(30))]
CHAINS = "".join(f"<urn:{s}> <urn:{p}> <urn:{o}> ." for s, p, o in TRIPLES)
KNOWLEDGE = KnowledgeBase.of_turtle(CHAINS, reasoner="none")

terms = st.sampled_from(["?a", "?b", "?c", "<urn:n3>", "<urn:hub>"])
predicates = st.sampled_from(["<urn:p>", "<urn:q>", "<urn:p>+", "<urn:p>*", "<urn:p>/<urn:q>", "^<urn:q>", "?any"])
groups = st.lists(st.tuples(terms, predicates, terms), min_size=1, max_size=3)


def solutions(text: str) -> int:
    found = KNOWLEDGE.store.query(text)
    assert isinstance(found, ox.QuerySolutions)
    return sum(1 for _ in found)


@settings(deadline=None)
@example(group=[("?a", "<urn:p>*", "?b")])
@given(group=groups)
def test_no_group_has_more_solutions(group: list[tuple[str, str, str]]) -> None:
    """Intermediate ones neither: in some order of its patterns, all that a join has on its way is counted."""
    bound = most_solutions(" . ".join(map(" ".join, group)), KNOWLEDGE, None)
    ways = [
        sum(solutions(f"SELECT * {{ {' . '.join(map(' '.join, way[: i + 1]))} }}") for i in range(len(way)))
        for way in permutations(group)
    ]
    assert min(ways) <= bound


def test_little_is_known_to_be_little() -> None:
    """A chain of classes and properties from the event costs no more than it has to."""
    assert most_solutions("?e <urn:src> ?s . ?s <urn:p> ?r . ?r <urn:q> <urn:hub>", KNOWLEDGE, "e") < 100
    assert most_solutions("?s <urn:p>+ ?r . ?r <urn:q> <urn:hub>", KNOWLEDGE, None) < KNOWN_SMALL


def test_products_are_known_to_be_large() -> None:
    five = " . ".join(f"?a{i} ?p{i} ?b{i}" for i in range(5))
    assert most_solutions(f"?e <urn:src> ?s . {five}", KNOWLEDGE, "e") > KNOWN_SMALL
    assert most_solutions(f"?e <urn:src> ?s OPTIONAL {{ {five} }}", KNOWLEDGE, "e") > KNOWN_SMALL


MANY = KnowledgeBase.of_turtle("".join(f"<urn:n{i}> <urn:p> <urn:o> ." for i in range(1_001)), reasoner="none")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("?e <urn:src> ?s . ?s <urn:p> ?o", None),
        ("?e <urn:src> ?s . ?x <urn:p> ?s", None),
        ("?e <urn:src> ?s . ?x <urn:p> ?o", "x"),
        ("?e <urn:src> ?s . ?x <urn:p> ?o . FILTER (?x = ?s)", "x"),
        ("?e <urn:src> ?s . <urn:n3> <urn:p> ?o", None),
        ("?e <urn:src> ?s . FILTER NOT EXISTS { ?x <urn:p> ?o }", None),
    ],
)
def test_parts_that_nothing_connects_are_found(text: str, name: str | None) -> None:
    """One with few solutions is a constant of the knowledge; a group inside multiplies nothing."""
    subquery = Subquery("e", text, (), (), flat=False, bindings=(), span=Span(0, len(text)))
    assert unconnected_variable(subquery, MANY) == name
