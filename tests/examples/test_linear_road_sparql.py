"""Linear Road's questions about the past: SPARQL over the archived tolls adds up to what was published."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from kaicep import Engine, Project
from kaicep.archive.sparql import Solutions
from kaicep.examples import linear_road
from kaicep.examples.linear_road.reports import load_expected, load_reports
from kaicep.examples.project import place_project, write_parts
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.long]
EXAMPLE = Path(linear_road.__file__).parent
JAM = (pl.col("dir") == 1) & pl.col("seg").is_between(39, 41) | (pl.col("dir") == 0) & pl.col("seg").is_between(57, 59)
"""The segments in which vehicles pay."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Iterator[Engine]:
    """An engine that has read the reports of two jams, with all queries of the project."""
    folder = tmp_path_factory.mktemp("road")
    write_parts(load_reports().filter(JAM), folder / "reports", 3, "parquet")
    with Engine(Project.load(place_project(EXAMPLE, folder)), spark=spark) as engine:
        for path in sorted((EXAMPLE / "queries").glob("*.chi")):
            engine.submit(path.read_text(encoding="utf-8"), label=path.name, collect=False)
        engine.run_available()
        engine.archive.flush()
        yield engine


@pytest.fixture(scope="module")
def charges() -> pl.DataFrame:
    return load_expected().filter(pl.col("toll") > 0)


def ask(engine: Engine, file: str) -> list[tuple[object, ...]]:
    found = engine.archive.query((EXAMPLE / "sparql" / file).read_text(encoding="utf-8"))
    assert isinstance(found, Solutions)
    return list(found.rows)


def test_balances_are_the_sums_of_the_published_tolls(engine: Engine, charges: pl.DataFrame) -> None:
    balances = charges.group_by("vid").agg(pl.sum("toll"), pl.len())
    assert ask(engine, "balance.rq") == balances.sort(["toll", "vid"], descending=[True, False]).rows()


def test_daily_expenditure(engine: Engine, charges: pl.DataFrame) -> None:
    paid = charges.group_by("vid").agg(pl.sum("toll")).sort(["toll", "vid"], descending=[True, False])
    assert ask(engine, "daily_expenditure.rq") == [("1970-01-01", 0, vid, toll) for vid, toll in paid.rows()]
