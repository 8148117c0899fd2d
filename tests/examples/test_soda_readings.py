"""Generated readings of Soda Hall."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from kaicep.examples.soda.readings import (
    Faults,
    draw_faults,
    generate_readings,
    load_boxes,
    load_floor_statistics,
    write_readings,
)

SENSORS = 242


@pytest.fixture(scope="module")
def readings() -> pl.DataFrame:
    """A day; `hour` is the local hour with its fraction."""
    clock = pl.col("time").str.slice(11, 2).cast(pl.Int64) + pl.col("time").str.slice(14, 2).cast(pl.Int64) / 60
    return generate_readings().with_columns(hour=clock)


@pytest.fixture(scope="module")
def boxes() -> pl.DataFrame:
    """One row per box and air handler."""
    return pl.DataFrame(
        [{"sensor": b.sensor, "box": b.name, "handler": h, "floor": b.floor} for b in load_boxes() for h in b.handlers]
    )


def test_every_airflow_sensor_of_the_model_reports(readings: pl.DataFrame) -> None:
    assert len(load_boxes()) == 227
    assert len(load_floor_statistics()) == 15
    names = {b.sensor for b in load_boxes()} | set(load_floor_statistics())
    assert set(readings["sensor"]) == names
    assert len(names) == SENSORS


def test_a_day_has_all_readings_but_a_few_in_order_of_time(readings: pl.DataFrame) -> None:
    assert 0.997 < readings.height / (288 * SENSORS) < 0.999
    times = readings["time"].to_list()
    assert times == sorted(times)
    assert datetime.fromisoformat(times[0]).isoformat() == "2026-03-02T00:00:00-08:00"
    assert datetime.fromisoformat(times[-1]).isoformat() == "2026-03-02T23:55:00-08:00"
    assert not readings.select("sensor", "time").is_duplicated().any()
    assert readings["cfm"].is_between(0, 3000).all()


def test_step_and_hours_make_longer_recordings() -> None:
    minutely = generate_readings(timedelta(minutes=1), hours=2)
    assert minutely["time"].n_unique() == 120
    assert generate_readings(timedelta(hours=1), hours=50)["time"].n_unique() == 50


def test_equal_seeds_give_equal_readings() -> None:
    hour = timedelta(hours=1)
    assert generate_readings(hour).equals(generate_readings(hour))
    assert not generate_readings(hour).equals(generate_readings(hour, seed=5))
    assert draw_faults(5) == draw_faults(5) != draw_faults(6)


def test_the_faults_are_in_the_readings(readings: pl.DataFrame, boxes: pl.DataFrame) -> None:
    faults = draw_faults()
    assert faults == Faults(
        starving=("vav_R330A", "vav_R420A", "vav_R681B", "vav_R773"),
        sleepless=("vav_R287", "vav_R465_7", "vav_R731"),
        tripped="ahu_A3",
    )
    of_boxes = readings.join(boxes, on="sensor")
    by_noon = _mean(of_boxes.filter(pl.col("hour").is_between(10, 13, closed="left")), "box")
    assert {name for name, cfm in by_noon.items() if cfm < 60} == set(faults.starving)
    by_night = _mean(of_boxes.filter(pl.col("hour") < 6), "box")
    assert {name for name, cfm in by_night.items() if cfm > 450} == set(faults.sleepless)
    in_the_trip = _mean(of_boxes.filter(pl.col("hour").is_between(13.5, 14.25, closed="left")), "handler")
    assert {name for name, cfm in in_the_trip.items() if cfm < 100} == {faults.tripped}


def test_floor_statistics_are_those_of_the_boxes(readings: pl.DataFrame, boxes: pl.DataFrame) -> None:
    moment = readings.filter(pl.col("time") == "2026-03-02T12:00:00-08:00")
    shown = dict(moment.select("sensor", "cfm").rows())
    third = moment.join(boxes.filter(pl.col("floor") == "floor_3").unique("sensor"), on="sensor")["cfm"]
    assert shown["flow_sensor_SODA1F3_VAV_MX"] >= third.max()
    assert shown["flow_sensor_SODA1F3_VAV_MN"] <= third.min()
    assert (
        shown["flow_sensor_SODA1F3_VAV_MN"] < shown["flow_sensor_SODA1F3_VAV_AV"] < shown["flow_sensor_SODA1F3_VAV_MX"]
    )


def test_files_hold_everything_in_order(tmp_path: Path, readings: pl.DataFrame) -> None:
    files = write_readings(tmp_path, 3)
    assert [file.name for file in files] == ["readings-0000.json", "readings-0001.json", "readings-0002.json"]
    assert pl.concat([pl.read_ndjson(file) for file in files]).equals(readings.drop("hour"))


def _mean(readings: pl.DataFrame, by: str) -> dict[str, float]:
    return dict(readings.group_by(by).agg(pl.mean("cfm")).rows())
