"""What is found out before anything is written, and what is refused then."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.commands.scaffolding.project_draft import InitOptions, draft_project
from kaicep.errors import ConfigError, PipelineError
from support.small_building import write_model, write_rows


def test_a_draft_says_how_readings_and_model_go_together(tmp_path: Path) -> None:
    draft = draft_project([write_model(tmp_path)], write_rows(tmp_path), tmp_path / "p", InitOptions())
    assert (draft.layout.form, draft.roles.time, draft.timezone) == ("rows", "Date", None)
    assert draft.layout.match.named
    assert not (tmp_path / "p").exists()


def test_what_options_say_wins(tmp_path: Path) -> None:
    events = tmp_path / "days.csv"
    events.write_text("id,time,value\nroom1_co2,03/04/2021 00:30,1\nroom1_co2,03/05/2021 00:30,2\n")
    model, folder = write_model(tmp_path), tmp_path / "p"
    options = InitOptions(time_format="day_first", timezone="Europe/Copenhagen")
    draft = draft_project([model], events, folder, options)
    assert (draft.roles.written.format, draft.roles.written.rival) == ("day_first", None)
    assert draft.timezone == "Europe/Copenhagen"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (InitOptions(id="sensor"), "has no column 'sensor': its columns are 'Point Name'"),
        (InitOptions(time_format="moonwise"), "--time-format: "),
        (InitOptions(timezone="Mars/Olympus"), "--timezone: "),
    ],
)
def test_options_that_are_none_are_refused_by_name(tmp_path: Path, options: InitOptions, told: str) -> None:
    with pytest.raises((ConfigError, PipelineError)) as refused:
        draft_project([write_model(tmp_path)], write_rows(tmp_path), tmp_path / "p", options)
    assert told in str(refused.value)


def test_a_model_in_the_place_of_readings_is_told_the_right_order(tmp_path: Path) -> None:
    model, events = write_model(tmp_path), write_rows(tmp_path)
    with pytest.raises(ConfigError) as refused:
        draft_project([events], model, tmp_path / "p", InitOptions())
    assert str(refused.value) == (
        f"{model} is a model, and the readings come last: the files seem swapped: kaicep init {model} {events}"
    )
