"""A project made of a model and readings; the command itself is asked in `test_init_commands.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from kaicep.commands.scaffolding import InitOptions, draft_project, write_project
from kaicep.errors import OntologyError
from support.small_building import LABELS, MODEL, write_model, write_rows

CONTRADICTION = """
ex:room1 a <http://www.w3.org/2002/07/owl#Nothing> .
"""


def test_a_model_that_contradicts_itself_is_taken_and_told(tmp_path: Path) -> None:
    model = tmp_path / "small.ttl"
    model.write_text(MODEL + CONTRADICTION)
    draft = draft_project([model], write_rows(tmp_path), tmp_path / "p", InitOptions())
    made = write_project(draft, "kaicep init")
    assert any(line.startswith("  it contradicts itself: on_contradiction = ") for line in made.told)
    assert "on_contradiction = " in made.files["kaicep.toml"]
    Project.load(tmp_path / "p")


def test_the_class_is_written_that_tells_ids_from_the_names_of_others(tmp_path: Path) -> None:
    """Each of two sensors has a goal of its name, one has none."""
    model = write_model(tmp_path)
    twins = "".join(f'ex:room{n}_goal a ex:Goal ; rdfs:label "CO2 of room {n}" . ' for n in (1, 2))
    model.write_text(model.read_text() + twins)
    draft = draft_project([model], write_rows(tmp_path, LABELS), tmp_path / "p", InitOptions())
    made = write_project(draft, "kaicep init")
    assert "ids: 3 of 3 name an individual of the model, by rdfs:label" in made.told
    guessed = "others are called so, too: sosa:Sensor is guessed"
    assert f"  {guessed}; see that it is right (of_class in kaicep.toml)" in made.told
    assert f"# O{guessed[1:]}.\n" in made.files["kaicep.toml"]
    linker = Project.load(tmp_path / "p").annotators["reading"].linkers["Point Name"]
    assert linker.individual(LABELS[0]) == "http://example.org/small#room1_co2"
    assert None not in [linker.individual(name) for name in LABELS]


def test_what_goes_wrong_leaves_nothing_behind(tmp_path: Path) -> None:
    draft = draft_project([write_model(tmp_path)], write_rows(tmp_path), tmp_path / "p", InitOptions())
    (tmp_path / "small.ttl").write_text("no turtle")
    with pytest.raises(OntologyError):
        write_project(draft, "kaicep init")
    assert [path.name for path in (tmp_path / "p").rglob("*") if path.is_file()] == []
