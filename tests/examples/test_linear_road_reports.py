"""Linear Road's reports and segments."""

from __future__ import annotations

import polars as pl
from kaicep.examples.linear_road.model import ROADS_FILE, build_model
from kaicep.examples.linear_road.reports import load_expected, load_reports


def test_the_segments_are_those_of_the_program() -> None:
    assert ROADS_FILE.read_text(encoding="utf-8") == build_model()


def test_more_expressways_are_the_same_with_other_vehicles() -> None:
    reports = load_reports()
    three = load_reports(3)
    assert three.height == 3 * reports.height
    assert three["at"].is_sorted()
    second = three.filter(pl.col("xway") == 2).with_columns(xway=pl.lit(0, pl.Int64), vid=pl.col("vid") - 200_000)
    assert second.sort("at", "vid").equals(reports.sort("at", "vid"))


def test_every_toll_and_alert_is_of_a_report() -> None:
    expected = load_expected()
    assert expected.height == 111_286
    assert expected.join(load_reports(), on=["time", "vid"], how="anti").is_empty()
