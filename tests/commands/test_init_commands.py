"""`kaicep init`: two files become a project that works, whatever their layout."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep import Project
from support.command_line import call
from support.small_building import LABELS, write_columns, write_files, write_model, write_rows


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path)


@pytest.mark.parametrize(
    ("write", "told"),
    [
        (write_rows, "readings: a row each; ids in 'Point Name', values in Value"),
        (write_columns, "readings: a column for each of 3 points"),
        (write_files, "readings: a file for each of 3 sensors; values in value"),
    ],
)
def test_every_layout_becomes_a_project_that_works(
    model: Path, tmp_path: Path, write: Callable[[Path], Path], told: str
) -> None:
    """Check has nothing to say against it, and both queries give the rows that were promised."""
    events, folder = write(tmp_path), tmp_path / "project"
    made = call("init", model, events, "-p", folder)
    assert made.exit_code == 0, made.output
    assert made.stderr.splitlines()[0] == told
    assert "ids: 3 of 3 name an individual of the model, by their IRIs" in made.stderr
    assert "72 readings can be used\n" in made.stderr
    checked = call("check", folder)
    assert checked.exit_code == 0, checked.output
    assert "warning" not in checked.output
    for name, rows in (("1_high.chi", 5), ("2_mean.chi", 8)):
        tried = call("try", folder / "queries" / name, "-e", events, "-p", folder)
        found = [json.loads(line) for line in tried.stdout.splitlines()]
        assert len(found) == rows
        assert f"{rows} rows" in made.stderr
        assert "late" not in tried.stderr
    highest = Project.load(folder).evaluate((folder / "queries" / "1_high.chi").read_text(), {"reading": events})
    assert max(row["value"] for row in highest) == 975.0
    assert {row["point"] for row in highest} == {"http://example.org/small#room1_co2"}


def test_ids_may_be_labels(model: Path, tmp_path: Path) -> None:
    made = call("init", model, write_rows(tmp_path, LABELS), "-p", tmp_path / "p", "--timezone", "America/New_York")
    assert "ids: 3 of 3 name an individual of the model, by rdfs:label" in made.stderr
    assert "time stamps: 'Date', month_first, on the clocks of America/New_York" in made.stderr
    text = (tmp_path / "p" / "kaicep.toml").read_text()
    assert '"Point Name" = { property = "sosa:madeBySensor", key = "rdfs:label" }' in text


def test_seconds_since_1970_have_no_zone(model: Path, tmp_path: Path) -> None:
    """Whoever states one all the same gets a project that can be read."""
    made = call("init", model, write_files(tmp_path), "-p", tmp_path / "p", "--timezone", "Europe/Rome")
    assert made.exit_code == 0, made.output
    assert "time stamps: 'ts', epoch_ms, since 1970, UTC\n" in made.stderr


def test_ids_that_name_nobody_are_told(model: Path, tmp_path: Path) -> None:
    events = write_rows(tmp_path, ("room1_co2", "room9_co2", "room1_temp"))
    made = call("init", model, events, "-p", tmp_path / "p")
    assert "ids: 2 of 3 name an individual of the model, by their IRIs\n  nobody is named by 'room9_co2'" in made.stderr


def test_nothing_is_overwritten(model: Path, tmp_path: Path) -> None:
    events, folder = write_rows(tmp_path), tmp_path / "p"
    assert call("init", model, events, "-p", folder, "-q").stderr == ""
    before = (folder / "kaicep.toml").read_text()
    again = call("init", model, events, "-p", folder)
    assert again.exit_code == 1
    assert again.stderr == (
        f"{folder / 'kaicep.toml'} exists, and nothing is overwritten: "
        "name another folder with --project, or remove the file\n"
    )
    assert (folder / "kaicep.toml").read_text() == before


def test_what_cannot_be_found_is_said(model: Path, tmp_path: Path) -> None:
    """And nothing is written."""
    strangers = write_rows(tmp_path, ("a1", "a2", "a3"))
    refused = call("init", model, strangers, "-p", tmp_path / "p")
    assert refused.exit_code == 1
    assert refused.stderr.startswith(
        f"{strangers}: nothing in it names an individual of the model: neither the values of 'Point Name' "
        "('a1', 'a2', 'a3'), nor the values of 'Quality' ('ok'), nor the columns ('Point Name', 'Value', 'Quality', "
        "…), nor the file's name (rows): the model has <http://example.org/small#room1>, "
    )
    assert not (tmp_path / "p").exists()
    assert call("init", model).stderr == (
        "a project is made of a model and readings: name both: kaicep init building.ttl readings.csv\n"
    )
    missing = call("init", model, strangers, "--time", "When")
    assert missing.stderr == (
        f"{strangers} has no column 'When': its columns are 'Point Name', 'Date', 'Value', 'Quality'\n"
    )


def test_files_without_time_stamps_and_models_without_individuals(model: Path, tmp_path: Path) -> None:
    plain = tmp_path / "rooms.csv"
    plain.write_text("room,seats\nroom1,3\n")
    assert call("init", model, plain).stderr == (
        f"none of the columns of {plain} holds time stamps: the columns are 'room', 'seats': name the column with "
        "--time, and how it is written with --time-format, such as '%d.%m.%Y %H.%M'\n"
    )
    empty = tmp_path / "empty.ttl"
    empty.write_text("")
    assert call("init", empty, write_rows(tmp_path)).stderr == (
        f"{empty} describes no individual: name the model of a building: its sensors, rooms, equipment\n"
    )


def test_what_somebody_knows_better_goes_before_what_is_recognised(model: Path, tmp_path: Path) -> None:
    events = tmp_path / "odd.csv"
    lines = (f"room1_co2,room2_co2,02.03.26 08:{minute:02d},{minute}\n" for minute in range(9))
    events.write_text("id,alias,when,value\n" + "".join(lines))
    known = ("--id", "alias", "--time", "when", "--time-format", "%y.%m.%d %H:%M")
    call("init", model, events, "-p", tmp_path / "p", *known)
    text = (tmp_path / "p" / "kaicep.toml").read_text()
    assert 'identity   = ["alias", "when"]' in text
    assert 'format = "%y.%m.%d %H:%M"' in text


def test_an_export_in_iso_8859_1_is_recognised(model: Path, tmp_path: Path) -> None:
    """The project says so, and reads the readings by it."""
    events = write_rows(tmp_path)
    events.write_bytes(events.read_text().replace("Value", "Værdi").encode("iso-8859-1"))
    made = call("init", model, events, "-p", tmp_path / "p")
    assert made.exit_code == 0, made.output
    assert "  they are not UTF-8: read as windows-1252\n" in made.stderr
    assert 'encoding = "windows-1252" }' in (tmp_path / "p" / "kaicep.toml").read_text()
    assert "72 readings can be used\n" in made.stderr
    query = tmp_path / "p" / "queries" / "1_high.chi"
    tried = call("try", query, "-e", events, "-p", tmp_path / "p")
    assert len(tried.stdout.splitlines()) == 5


@pytest.mark.parametrize(
    ("option", "text", "told"),
    [
        (
            "--timezone",
            "Europe/Kopenhagen",
            "--timezone: there is no time zone 'Europe/Kopenhagen'; did you mean 'Europe/Copenhagen'?\n",
        ),
        (
            "--time-format",
            "DD-MM-YYYY HH:mm",
            (
                "--time-format: 'DD-MM-YYYY HH:mm' is no format of time stamps; take iso, epoch_s, epoch_ms, epoch_us, "
                'epoch_ns, day_first, month_first, year_first, or a pattern such as "%d.%m.%Y %H:%M"\n'
            ),
        ),
    ],
)
def test_an_option_that_is_none_is_refused_by_its_name(
    model: Path, tmp_path: Path, option: str, text: str, told: str
) -> None:
    made = call("init", model, write_rows(tmp_path), "-p", tmp_path / "p", option, text)
    assert (made.exit_code, made.stderr) == (1, told)


def test_a_model_in_the_place_of_the_readings_is_told(model: Path, tmp_path: Path) -> None:
    events = write_rows(tmp_path)
    swapped = call("init", events, model, "-p", tmp_path / "p")
    hint = f"the files seem swapped: kaicep init {model} {events}"
    assert (swapped.exit_code, swapped.stderr) == (1, f"{model} is a model, and the readings come last: {hint}\n")
    without = call("init", model, model, "-p", tmp_path / "p")
    assert without.stderr.endswith("name a file of readings last: CSV, Parquet or JSON\n")


def test_a_time_format_that_does_not_fit_is_told_with_one_that_does(model: Path, tmp_path: Path) -> None:
    events = tmp_path / "a.csv"
    days = "".join(f"room1_co2,{day:02d}-09-2021 00:00,{400 + day}\n" for day in range(5, 30))
    events.write_text("id,time,value\n" + days)
    made = call("init", model, events, "-p", tmp_path / "p", "--time-format", "month_first")
    assert "8 readings can be used, 17 cannot\n" in made.stderr
    assert "  day_first reads all of the time stamps: --time-format day_first\n" in made.stderr
    toml = tmp_path / "p" / "kaicep.toml"
    toml.write_text(toml.read_text().replace("month_first", "iso"))
    query = tmp_path / "p" / "queries" / "1_high.chi"
    tried = call("try", query, "-e", events, "-p", tmp_path / "p")
    way_out = 'all read as day_first: time = { …, format = "day_first" }\n'
    assert f"the time stamps of stream reading {way_out}" in tried.stderr
    checked = call("check", tmp_path / "p", "--events", events)
    assert way_out in checked.output
