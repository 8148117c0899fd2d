"""What is told of a first project."""

from __future__ import annotations

from pathlib import Path

from kaicep.commands.scaffolding import InitOptions, draft_project, write_project
from support.small_building import write_model, write_rows


def test_a_local_time_that_comes_twice_is_told(tmp_path: Path) -> None:
    events = tmp_path / "autumn.csv"
    lines = "".join(f"room1_co2,2021-11-07 01:{minute},4{minute}\n" for minute in range(10, 40))
    events.write_text("id,time,value\nroom1_co2,2021-11-07 00:30,1\n" + lines)
    options = InitOptions(timezone="America/New_York")
    made = write_project(draft_project([write_model(tmp_path)], events, tmp_path / "p", options), "kaicep init")
    assert "1 reading can be used, 30 cannot" in made.told
    assert any("clocks were put back, it comes twice" in line for line in made.told)


def test_readings_time_ids_model_and_queries_are_told(tmp_path: Path) -> None:
    draft = draft_project([write_model(tmp_path)], write_rows(tmp_path), tmp_path / "p", InitOptions())
    told = write_project(draft, "kaicep init").told
    heads = [line.partition(":")[0] for line in told if not line.startswith("  ")]
    assert heads[:4] == ["readings", "time stamps", "ids", "model"]
    assert heads[4].endswith("can be used")
    assert heads[5:] == ["queries/1_high.chi", "queries/2_mean.chi"]
