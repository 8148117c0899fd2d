"""First queries are made of what is there, and give rows on it."""

from __future__ import annotations

from pathlib import Path

from kaicep import Project
from kaicep.commands.scaffolding import InitOptions, draft_project
from kaicep.commands.scaffolding.project_file import ontologies_text, project_text
from kaicep.commands.scaffolding.sample_queries import SampleQuery, sample_queries
from kaicep.pipeline.sources import read_recording
from support.small_building import MODEL, write_model, write_rows


def queries(folder: Path, events: Path) -> tuple[SampleQuery, ...]:
    draft = draft_project([write_model(folder)], events, folder, InitOptions())
    (folder / "ontologies.ttl").write_text(ontologies_text(draft.model))
    (folder / "kaicep.toml").write_text(project_text(draft, "kaicep init"))
    project = Project.load(folder)
    (batch,) = read_recording(events, project.settings.streams["reading"])
    return sample_queries(project, draft, batch.table)


def test_the_class_of_most_points_and_what_hosts_them(tmp_path: Path) -> None:
    high, mean = queries(tmp_path, write_rows(tmp_path))
    assert high == SampleQuery(
        "1_high.chi",
        "# Co2Sensor: the highest tenth of what 2 points showed.\n"
        "SELECT ?point AS point, ?e.Value AS value\n"
        "FROM (?e, reading)\n"
        "WHERE {\n"
        "  PATH { ?e sosa:madeBySensor ?point . ?point a ex:Co2Sensor }\n"
        "  FILTER (?e.Value > 850)\n"
        "}\n",
        5,
    )
    assert "PATH { ?e sosa:madeBySensor ?point . ?point a ex:Co2Sensor . ?point sosa:isHostedBy ?place }" in mean.text
    assert mean.text.startswith("# Co2Sensor: the mean over an hour, of each Room.\n")
    assert mean.rows == 8


def test_readings_that_are_all_equal_still_give_rows(tmp_path: Path) -> None:
    events = tmp_path / "flat.csv"
    events.write_text("id,time,value\n" + "".join(f"room1_co2,2026-01-01T0{h}:00:00Z,400\n" for h in range(5)))
    high, mean = queries(tmp_path, events)
    assert "every reading" in high.text
    assert high.rows == 5
    assert "WINDOW (?e, batch, 1d)" in mean.text
    assert mean.rows == 1


def test_of_values_that_have_no_highest_tenth_none_is_spoken_of(tmp_path: Path) -> None:
    """A detector says 0 or 1."""
    events = tmp_path / "presence.csv"
    lines = "".join(f"room1_co2,2026-01-01T0{h}:00:00Z,{h % 2}\n" for h in range(6))
    events.write_text(f"id,time,value\n{lines}")
    high, _ = queries(tmp_path, events)
    assert high.text.startswith("# Co2Sensor: all but the lowest of what one point showed.\n")
    assert "FILTER (?e.value > 0.0)" in high.text
    assert high.rows == 3
    lines += "".join(f"room1_temp,2026-01-01T0{h}:00:00Z,2{h}\n" for h in range(10))
    events.write_text(f"id,time,value\n{lines}")
    high, _ = queries(tmp_path, events)
    assert high.text.startswith("# TemperatureSensor: the highest tenth of what one point showed.\n")


def test_who_has_the_point_goes_before_what_the_point_has(tmp_path: Path) -> None:
    """Models have both; the equipment of a sensor is whose point it is."""
    model = write_model(tmp_path)
    lines = "".join(
        f"ex:{room} ex:hasPoint ex:{room}_co2 . ex:{room}_co2 ex:hasPoint ex:meter . " for room in ("room1", "room2")
    )
    model.write_text(MODEL.replace("sosa:isHostedBy", "ex:near") + "ex:meter a ex:Meter . " + lines)
    draft = draft_project([model], write_rows(tmp_path), tmp_path, InitOptions())
    (tmp_path / "ontologies.ttl").write_text(ontologies_text(draft.model))
    (tmp_path / "kaicep.toml").write_text(project_text(draft, "kaicep init"))
    project = Project.load(tmp_path)
    (batch,) = read_recording(tmp_path / "rows.csv", project.settings.streams["reading"])
    _, mean = sample_queries(project, draft, batch.table)
    assert "?place ex:hasPoint ?point" in mean.text
