"""Linear Road: tolls and alerts are the published ones, row by row."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from kaicep import Project
from kaicep.examples import linear_road
from kaicep.examples.linear_road.reports import load_expected, load_reports

EXAMPLE = Path(linear_road.__file__).parent
QUERIES = EXAMPLE / "queries"
ACCIDENTS = {(0, 58): (780, 1200), (1, 40): (1320, 1680), (0, 30): (1680, 1980)}
"""When alerts are due, in seconds: from the end of the minute of the detection to that of the clearing."""

PLACES = ((0, 24, 31), (0, 52, 59), (1, 39, 46))
"""Direction and segments around the accidents and the jams behind them: statistics, tolls and alerts go by segment."""


def text(*numbers: int) -> str:
    return "\n".join(next(QUERIES.glob(f"{number}_*.chi")).read_text(encoding="utf-8") for number in numbers)


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.load(EXAMPLE)


@pytest.fixture(scope="module")
def reports() -> pl.DataFrame:
    return load_reports()


def around_accidents(reports: pl.DataFrame) -> pl.DataFrame:
    at_place = [(pl.col("dir") == way) & pl.col("seg").is_between(first, last) for way, first, last in PLACES]
    return reports.filter(pl.any_horizontal(at_place))


def expected_of(reports: pl.DataFrame, kind: int) -> list[tuple[int, ...]]:
    """Second, vehicle, and what is told: average speed and toll, or the segment of the accident."""
    told = ["lav_or_accident_seg", "toll"] if kind == 0 else ["lav_or_accident_seg"]
    published = load_expected().filter(pl.col("type") == kind).select("time", "vid", *told)
    return published.join(reports, on=["time", "vid"], how="semi").sort("time", "vid").rows()


def answer(project: Project, reports: pl.DataFrame, document: str, *items: str) -> list[tuple[int, ...]]:
    rows = project.evaluate(document, {"report": reports})
    assert [row["_time"] for row in rows] == sorted(row["_time"] for row in rows)
    return sorted(tuple(int(row[item]) for item in ("time", "vid", *items)) for row in rows)


def test_tolls_around_the_accidents_are_the_published_ones(project: Project, reports: pl.DataFrame) -> None:
    part = around_accidents(reports)
    expected = expected_of(part, 0)
    assert sum(toll > 0 for *_, toll in expected) == 321
    assert answer(project, part, text(1, 2, 3, 4), "lav", "toll") == expected


def test_alerts_are_the_published_ones(project: Project, reports: pl.DataFrame) -> None:
    part = around_accidents(reports)
    expected = expected_of(part, 1)
    assert len(expected) == 1_791
    assert answer(project, part, text(1, 2, 3, 5), "accident") == expected


@pytest.mark.long
def test_all_tolls_and_alerts_are_the_published_ones(project: Project, reports: pl.DataFrame) -> None:
    tolls, alerts = expected_of(reports, 0), expected_of(reports, 1)
    assert (len(tolls), len(alerts)) == (109_495, 1_791)
    assert answer(project, reports, text(1, 2, 3, 4), "lav", "toll") == tolls
    assert answer(project, reports, text(1, 2, 3, 5), "accident") == alerts


def test_when_an_accident_is_over_each_segment_tells_how_many_were_warned(
    project: Project, reports: pl.DataFrame
) -> None:
    part = around_accidents(reports)
    rows = project.evaluate(text(1, 2, 3, 6), {"report": part})
    crossings = expected_of(part, 1)
    place = {(time, vid): (way, seg) for time, vid, way, seg in part.select("time", "vid", "dir", "seg").rows()}
    expected: dict[tuple[int, int, int], int] = {}
    for time, vid, accident in crossings:
        where = (*place[time, vid], accident)
        expected[where] = expected.get(where, 0) + 1
    assert {(r["dir"], r["seg"], r["accident"]): r["vehicles"] for r in rows} == expected
    times = {(r["dir"], r["accident"]): (r["since"].timestamp(), r["_time"].timestamp()) for r in rows}
    assert times == ACCIDENTS


def test_the_queries_name_nothing_that_the_knowledge_lacks(project: Project) -> None:
    for query in project.compile(text(1, 2, 3, 4, 5, 6)):
        assert query.warnings == ()
