"""The modules in force, and where they contradict each other."""

from __future__ import annotations

import pyoxigraph as ox
from kaicep.config import Settings
from kaicep.server.knowledge.module_listing import listed_ontologies


def test_modules(known: Settings) -> None:
    found = listed_ontologies(ox.Store(), known)
    (module,) = found["modules"]
    assert (module["name"], module["iri"], module["imports"]) == ("rooms.ttl", "urn:ex:rooms", [])
    assert found["triples"] > module["triples"] > 10
    assert found["contradictions"] == []


def test_contradictions_are_told(known: Settings) -> None:
    file = known.root / "rooms.ttl"
    file.write_text(file.read_text() + " ex:Room owl:disjointWith ex:Sensor . ex:r2 a ex:Sensor .")
    found = listed_ontologies(ox.Store(), Settings.load(known.root))
    assert "ex:r2" in found["contradictions"][0]
