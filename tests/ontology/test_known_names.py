"""Names are known as classes and properties by what declares or uses them."""

from __future__ import annotations

from kaicep.ontology.known_names import KnownNames
from pyoxigraph import RdfFormat, Store
from support.ontologies import PREAMBLE, X


def test_what_is_used_as_a_class_or_a_property_is_one() -> None:
    store = Store()
    text = ":A a owl:Class . :B rdfs:subClassOf :C . :i a :D . :p rdfs:subPropertyOf :q . :E owl:equivalentClass :F ."
    store.load((PREAMBLE + text).encode(), RdfFormat.TURTLE)
    names = KnownNames.of(store)
    assert {iri.removeprefix(X) for iri in names.classes if iri.startswith(X)} == set("ABCDEF")
    assert {iri.removeprefix(X) for iri in names.properties if iri.startswith(X)} == {"p", "q"}
    assert names.equivalents == {X + name: frozenset({X + "E", X + "F"}) for name in "EF"}
