"""The knowledge with one event in it."""

from __future__ import annotations

import pyoxigraph as ox
from kaicep.explain.reasons.event_view import EventView, Solution
from kaicep.ontology.proofs import Leaf
from support.reasons import EVENT, PREFIXES, campus, node, view


def test_an_event_comes_and_goes() -> None:
    event = ox.Triple(ox.NamedNode(EVENT), node("evt:hasSource"), node("ee:s1"))
    one = EventView(campus(), {})
    size = len(one.store)
    with one.holding({event: "the annotation"}):
        assert len(one.store) == size + 1
        proof = one.prove(event)
        assert isinstance(proof, Leaf)
        assert proof.sources == ("the annotation",)
    assert len(one.store) == size
    assert len(campus().store) == size


def test_what_the_knowledge_says_already_stays() -> None:
    known = ox.Triple(node("bd:r1"), node("bd:partOf"), node("bd:floor"))
    one = EventView(campus(), {})
    with one.holding({known: None}):
        pass
    assert one.objects(node("bd:r1"), node("bd:partOf")) == [node("bd:floor"), node("bd:hall")]


def test_solutions_extend_what_is_bound() -> None:
    with view() as one:
        group = f"?r <{PREFIXES['bd']}partOf> ?w"
        bound: Solution = {"r": node("bd:r1"), "other": ox.Literal("kept")}
        found = one.solutions(group, bound, 9)
        assert {row["w"] for row in found} == {node("bd:floor"), node("bd:hall")}
        assert all(row["other"] == ox.Literal("kept") for row in found)
        assert len(one.solutions(group, bound, 1)) == 1


def test_literals_have_no_properties() -> None:
    with view() as one:
        assert one.objects(ox.Literal("x"), node("bd:partOf")) == []
