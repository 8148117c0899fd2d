"""Who states what."""

from __future__ import annotations

from kaicep.ontology.modules import Module
from kaicep.ontology.stated_graphs import modules_that_state, store_statements
from pyoxigraph import Store
from support.ontologies import PREAMBLE


def test_a_triple_is_stated_by_every_module_that_says_it() -> None:
    texts = (":i a :A .", ":j a :A .", ":i a :A . :j a :B .")
    modules = [Module.parse("m.ttl", (PREAMBLE + text).encode()) for text in texts]
    stated = store_statements(modules, Store())
    assert len(stated) == 4
    assert list(modules_that_state(stated, modules[0].triples[0])) == [0, 2]
    assert list(modules_that_state(stated, modules[1].triples[0])) == [1]
