"""ROBOD's tables as a stream of readings."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
from kaicep.examples.project import Form
from kaicep.examples.robod.readings import DATA, load_points, load_readings, load_room, write_readings


@pytest.fixture(scope="module")
def readings() -> pl.DataFrame:
    return load_readings()


def test_every_published_value_is_one_reading(readings: pl.DataFrame) -> None:
    """609,316: all values of the three rooms, those of the weather station once."""
    outdoor = {row["column"] for row in pl.read_csv(DATA / "robod_points.csv").to_dicts() if row["scope"] == "outdoor"}
    rooms = {name: load_room(name) for name in ("room1", "room2", "room3")}
    indoor = sum(t[c].count() for t in rooms.values() for c in t.columns if c not in outdoor | {"timestamp"})
    station = sum(rooms["room1"][column].count() for column in outdoor)
    assert readings.height == indoor + station == 609_316
    assert readings["point"].n_unique() == 73
    assert readings.null_count().sum_horizontal().item() == 0
    assert not readings.select("point", "timestamp").is_duplicated().any()


def test_they_come_in_order_of_time_with_the_zone_of_the_building(readings: pl.DataFrame) -> None:
    times = [datetime.fromisoformat(text) for text in readings["timestamp"].unique(maintain_order=True)]
    assert times == sorted(times)
    assert times[0].isoformat() == "2021-09-07T00:00:00+08:00"
    assert times[-1].isoformat() == "2021-12-23T23:55:00+08:00"


def test_a_reading_is_the_value_in_the_published_table(readings: pl.DataFrame) -> None:
    published = load_room("room3").row(by_predicate=pl.col("timestamp") == "2021-09-08 10:15 +08:00", named=True)
    at = readings.filter(pl.col("timestamp") == "2021-09-08T10:15:00+08:00")
    values = dict(at.select("point", "value").rows())
    assert values["room3_supply_air_flow"] == published["supply_air_flow"]
    assert values["room3_pm2.5"] == published["pm2.5"]
    assert "outdoor_co2" in values
    assert "room3_outdoor_co2" not in values


def test_points_agree_with_the_published_table() -> None:
    points = load_points()
    assert points.height == 73
    assert points.filter(pl.col("scope") == "outdoor")["point"].sort().to_list() == [
        "outdoor_baromatic_pressure",
        "outdoor_co2",
        "outdoor_dry_bulb_temp",
        "outdoor_global_horizontal_solar_radiation",
        "outdoor_rainfall_raw",
        "outdoor_relative_humidity",
        "outdoor_wind_direction",
        "outdoor_wind_speed",
    ]


@pytest.mark.parametrize("form", ["parquet", "json"])
def test_files_are_cut_by_time_and_hold_everything(tmp_path: Path, readings: pl.DataFrame, form: Form) -> None:
    (tmp_path / "readings-9999.json").write_text("left behind")
    files = write_readings(tmp_path, 7, form)
    read = pl.read_parquet if form == "parquet" else pl.read_ndjson
    assert sorted(tmp_path.iterdir()) == files
    assert len(files) == 7
    assert pl.concat([read(file) for file in files]).equals(readings)


def test_no_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^the readings need at least one file$"):
        write_readings(tmp_path, 0)
