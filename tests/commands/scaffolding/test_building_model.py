"""What a model says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.commands.scaffolding.building_model import BuildingModel
from kaicep.errors import OntologyError
from support.small_building import write_model


def test_individuals_prefixes_and_vocabularies(tmp_path: Path) -> None:
    model = BuildingModel.load([write_model(tmp_path)])
    assert model.types["http://example.org/small#room1"] == {"http://example.org/small#Room"}
    assert "http://example.org/small#Co2Sensor" not in model.types
    assert [vocabulary.prefix for vocabulary in model.vocabularies] == ["sosa"]
    assert model.prefixes["ex"] == "http://example.org/small#"
    assert model.short("http://example.org/small#room1") == "ex:room1"
    assert model.short("http://www.w3.org/ns/sosa/Sensor") == "sosa:Sensor"
    assert model.short("http://example.org/small#room/1") == "<http://example.org/small#room/1>"


def test_usual_prefixes_keep_their_usual_names(tmp_path: Path) -> None:
    path = tmp_path / "m.ttl"
    path.write_text("@prefix b: <https://brickschema.org/schema/Brick#> . <urn:x> a b:Room .")
    model = BuildingModel.load([path])
    assert model.short("https://brickschema.org/schema/Brick#Room") == "brick:Room"
    assert "b" not in model.prefixes


def test_a_model_of_nobody(tmp_path: Path) -> None:
    path = tmp_path / "m.ttl"
    path.write_text("<urn:C> a <http://www.w3.org/2002/07/owl#Class> .")
    with pytest.raises(OntologyError, match="describes no individual: name the model of a building"):
        BuildingModel.load([path])
