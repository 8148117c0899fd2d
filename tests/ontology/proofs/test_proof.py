"""A proof is a tree of inferences over leaves."""

from __future__ import annotations

from kaicep.ontology.proofs import AssertionOrigin, Inference, Leaf, inferences_of
from pyoxigraph import NamedNode, Triple


def triple(name: str) -> Triple:
    return Triple(NamedNode("urn:" + name), NamedNode("urn:p"), NamedNode("urn:o"))


LEAF = Leaf(triple("leaf"), AssertionOrigin.MODULE, ("m.ttl",))


def test_premises_come_before_what_follows_from_them() -> None:
    first = Inference(triple("first"), "cax-sco", (LEAF,))
    second = Inference(triple("second"), "prp-spo1", (LEAF,))
    last = Inference(triple("last"), "cls-int1", (first, LEAF, second))
    assert list(inferences_of(last)) == [first, second, last]


def test_what_is_used_twice_comes_twice() -> None:
    first = Inference(triple("first"), "cax-sco", (LEAF,))
    assert [step.rule for step in inferences_of(Inference(triple("x"), "prp-trp", (first, first)))] == [
        "cax-sco",
        "cax-sco",
        "prp-trp",
    ]


def test_a_leaf_infers_nothing() -> None:
    assert list(inferences_of(LEAF)) == []
