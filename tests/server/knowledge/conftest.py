"""What tests of the knowledge share."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.config import Settings
from support.command_line import write_project

ONTOLOGY = """@prefix ex: <urn:ex:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<urn:ex:rooms> a owl:Ontology .
ex:Space a owl:Class ; rdfs:label "space" .
ex:Room a owl:Class ; rdfs:subClassOf ex:Space ; rdfs:label "Raum"@de , "room"@en .
ex:Lab a owl:Class ; rdfs:subClassOf ex:Room .
ex:in a owl:ObjectProperty .
ex:s1 a ex:Sensor ; ex:in ex:r1 ; rdfs:label "Sensor one" .
ex:r1 a ex:Lab ; rdfs:label "Room one", "Hörsaal eins"@de . ex:r2 a ex:Room ; ex:area [ ex:value 54 ] ."""


@pytest.fixture
def known(tmp_path: Path) -> Settings:
    """A project that knows of rooms."""
    folder = write_project(tmp_path)
    (folder / "rooms.ttl").write_text(ONTOLOGY)
    file = folder / "kaicep.toml"
    file.write_text('[knowledge]\nmodules = ["rooms.ttl"]\n' + file.read_text())
    return Settings.load(folder)
