"""Labels in English go before others, and others before none."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from kaicep.server.knowledge.knowledge_terms import label_of, named_node, told_of
from kaicep.server.problem import ProblemError

TURTLE = """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<urn:a> rdfs:label "Anlage"@de , "plant"@en . <urn:b> rdfs:label "Raum"@de . <urn:c> skos:prefLabel "see" ."""


def test_labels() -> None:
    store = ox.Store()
    store.load(TURTLE.encode(), format=ox.RdfFormat.TURTLE)
    found = [label_of(store, ox.NamedNode(f"urn:{name}")) for name in "abcd"]
    assert found == ["plant", "Raum", "see", None]


def test_what_has_no_name_is_what_is_said_of_it() -> None:
    store = ox.Store()
    area = "a <urn:A> ; <urn:x:value> 54.5 ; <http://y/a#value> 54.5 ; <urn:x:hasUnit> <urn:a> ; <urn:x:of> []"
    store.load(f"{TURTLE} <urn:r> <urn:x:area> [ {area} ] .".encode(), format=ox.RdfFormat.TURTLE)
    ((*_, node, _),) = store.quads_for_pattern(ox.NamedNode("urn:r"), None, None, None)
    assert isinstance(node, ox.BlankNode)
    assert told_of(store, node, {}) == "hasUnit plant, of …, value 54.5"
    assert told_of(store, ox.BlankNode(), {}) == ""


def test_what_is_no_iri() -> None:
    with pytest.raises(ProblemError, match="'a b' is no IRI"):
        named_node("a b")
