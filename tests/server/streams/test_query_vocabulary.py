"""The words of a project, for editors."""

from __future__ import annotations

import pyoxigraph as ox
from kaicep.config import Settings
from kaicep.server.streams.query_vocabulary import query_vocabulary

ONTOLOGY = """@prefix ex: <urn:ex:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Room a owl:Class ; rdfs:label "Raum"@de , "room"@en . ex:in a owl:ObjectProperty . ex:r1 a ex:Room ."""


def test_words(settings: Settings) -> None:
    (settings.root / "rooms.ttl").write_text(ONTOLOGY)
    (settings.root / "queries" / "hot.chi").write_text(
        "CREATE QUERY hot AS SELECT ?e.flow AS flow FILTER (?e.flow > 50)"
    )
    file = settings.root / "kaicep.toml"
    file.write_text('[knowledge]\nmodules = ["rooms.ttl"]\n' + file.read_text())
    found = query_vocabulary(ox.Store(), Settings.load(settings.root))
    streams = {one["name"]: [a["name"] for a in one["attributes"]] for one in found["streams"]}
    assert set(streams["air"]) == {"sensor", "flow", "at"}
    assert "flow" in streams["hot"]
    room = {"iri": "urn:ex:Room", "prefixed": "ex:Room", "label": "room", "labels": ["room", "Raum"]}
    assert room in found["classes"]
    assert {"iri": "urn:ex:in", "prefixed": "ex:in", "label": None, "labels": []} in found["properties"]
    assert {"SELECT", "FROM", "WHERE", "SEQ", "WINDOW", "CREATE"} <= set(found["keywords"])
    assert {"ABS", "AVG"} <= {one["name"] for one in found["functions"]}
    assert all(one["signature"] and one["doc"] for one in found["functions"])
    assert found["prefixes"]["ex"] == "urn:ex:"
