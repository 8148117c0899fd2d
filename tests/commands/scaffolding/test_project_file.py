"""The text of a first project file says what was found, and is read as it says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from kaicep.commands.scaffolding import InitOptions, draft_project
from kaicep.commands.scaffolding.project_file import listed, ontologies_text, project_text, unnamed
from kaicep.config import Settings
from support.small_building import write_columns, write_files, write_model, write_rows


def written(tmp_path: Path, events: Path, timezone: str | None = None) -> tuple[str, dict[str, Any]]:
    draft = draft_project([write_model(tmp_path)], events, tmp_path / "p", InitOptions(timezone=timezone))
    text = project_text(draft, "kaicep init small.ttl")
    content = tomllib.loads(text)
    Settings.parse(content, root=tmp_path / "p")
    return text, content["streams"]["reading"]


def test_rows(tmp_path: Path) -> None:
    text, stream = written(tmp_path, write_rows(tmp_path), "America/New_York")
    assert text.startswith("# Made by `kaicep init small.ttl`. It says what was found; change what is wrong.\n")
    assert stream["time"] == {
        "attribute": "Date",
        "property": "sosa:resultTime",
        "format": "month_first",
        "timezone": "America/New_York",
    }
    assert stream["source"] == {"format": "csv", "path": "../rows.csv"}
    assert stream["attributes"] == {
        "Point Name": {"property": "sosa:madeBySensor", "individual": "ex:{}"},
        "Value": {"property": "sosa:hasSimpleResult", "datatype": "xsd:double"},
        "Quality": {"datatype": "xsd:string"},
    }
    assert "# 3 of 3 ids name an individual of the model, by their IRIs.\n" in text
    assert "# Nothing in them tells month_first from day_first.\n" in text


def test_columns(tmp_path: Path) -> None:
    text, stream = written(tmp_path, write_columns(tmp_path))
    assert stream["source"]["unpivot"] == {"name": "point", "value": "value"}
    assert stream["source"]["sep"] == ";"
    assert '# The time stamps name no zone and are taken as UTC; else add timezone = "Europe/Copenhagen", say.' in text


def test_files(tmp_path: Path) -> None:
    text, stream = written(tmp_path, write_files(tmp_path))
    assert stream["source"] == {"format": "csv", "path": "../files/", "file_name": "point", "order": "time"}
    assert stream["time"]["format"] == "epoch_ms"
    assert "zone" not in text


def test_what_kaicep_ships_is_imported(tmp_path: Path) -> None:
    draft = draft_project([write_model(tmp_path)], write_rows(tmp_path), tmp_path / "p", InitOptions())
    assert "owl:imports <http://www.w3.org/ns/sosa/> ." in ontologies_text(draft.model)


@pytest.mark.parametrize(("number", "text"), [(1, "'0'"), (3, "'0', '1', '2'"), (5, "'0', '1', '2' and 2 more")])
def test_long_lists_are_cut(number: int, text: str) -> None:
    assert listed([str(i) for i in range(number)]) == text


def test_several_values_of_a_sensor_and_of_a_room(tmp_path: Path) -> None:
    """Fractions go before whole numbers; a room is what is observed, not what observes."""
    sensors, rooms = tmp_path / "sensors.csv", tmp_path / "rooms.csv"
    sensors.write_text("id,time,quality,ppm\nroom1_co2,2026-01-01,192,400.5\n")
    rooms.write_text("id,time,people,ppm\nroom1,2026-01-01,3,400.5\n")
    for events, linked in ((sensors, "sosa:madeBySensor"), (rooms, "sosa:hasFeatureOfInterest")):
        _, stream = written(tmp_path, events)
        assert stream["attributes"]["id"]["property"] == linked
        assert list(stream["attributes"])[1] == "ppm"


def test_what_is_no_point_of_a_wide_table_is_an_attribute(tmp_path: Path) -> None:
    """Except for what cannot be called so, such as the nameless first column of a data frame."""
    events = tmp_path / "wide.csv"
    events.write_text(",time,room1_co2,remark,_x\n0,2026-01-01,400.5,a,b\n")
    _, stream = written(tmp_path, events)
    assert stream["attributes"]["remark"] == {"datatype": "xsd:string"}
    assert stream["source"]["unpivot"] == {"name": "point", "value": "value", "index": ["", "_x"]}


def test_ids_that_several_individuals_have_are_not_called_nobodys(tmp_path: Path) -> None:
    model = write_model(tmp_path)
    twin = 'ex:room1_goal a ex:Goal ; rdfs:label "CO2 of room 1" .'
    model.write_text(model.read_text() + twin)
    events = write_rows(tmp_path, ("CO2 of room 1", "CO2 of room 2", "Temperature of room 9"))
    draft = draft_project([model], events, tmp_path / "p", InitOptions())
    two = "ex:room1_co2 (ex:Co2Sensor) and ex:room1_goal (ex:Goal)"
    assert list(unnamed(draft)) == [
        "nobody is named by 'Temperature of room 9'",
        f"several individuals are named by 'CO2 of room 1': the first fits {two}",
        'tell them apart with of_class = "…": `kaicep check . --events FILE` says with which class',
    ]
    assert "# Several individuals are named by 'CO2 of room 1': the first fits " in project_text(draft, "kaicep init")
