"""Modules without some of their statements."""

from __future__ import annotations

from kaicep.ontology.left_out import LeftOut, is_among, left_out_texts, read_left_out, without_statements
from kaicep.ontology.modules import Module
from pyoxigraph import RdfFormat, Store, Triple
from support.ontologies import PREAMBLE


def module(name: str, text: str) -> Module:
    return Module.parse(name, (PREAMBLE + text).encode())


def stored(text: str) -> list[Triple]:
    store = Store()
    store.load((PREAMBLE + text).encode(), RdfFormat.TURTLE)
    return [quad.triple for quad in store]


def test_a_module_without_statements_is_another_and_the_others_are_themselves() -> None:
    one, other = module("one.ttl", ":i a :A . :i :p 05 . :j :p 5 ."), module("other.ttl", ":i a :A .")
    gone = [LeftOut(triple, ("one.ttl",), ()) for triple in stored(":i :p 5 .")]
    reduced, same = without_statements([one, other], gone)
    assert same is other
    assert reduced.digest != one.digest
    assert len(reduced.triples) == 2
    assert set(reduced.triples) == set(one.triples) - set(module("m.ttl", ":i :p 05 .").triples)
    assert without_statements([one, other], gone)[0].digest == reduced.digest


def test_numbers_are_compared_as_a_store_gives_them_back() -> None:
    belongs = is_among(stored(":i :p 5 ."))
    (stated,) = module("m.ttl", ":i :p 05 .").triples
    (another,) = module("m.ttl", ":i :p 06 .").triples
    assert belongs(stated)
    assert not belongs(another)


def test_they_survive_as_texts() -> None:
    (triple,) = stored(':i :p "a\\n\\"b\\""@en .')
    left_out = (LeftOut(triple, ("a.ttl", "b.ttl"), ("why",), ("an axiom",)),)
    texts = [[part if isinstance(part, str) else list(part) for part in text] for text in left_out_texts(left_out)]  # type: ignore[call-overload]
    assert read_left_out(texts) == left_out
