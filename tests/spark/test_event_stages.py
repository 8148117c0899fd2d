"""The single stages, on Spark: what they give is what the annotator and a query give."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyarrow as pa
import pytest
from kaicep import Project, QueryTypeError
from kaicep.spark import annotate, rejected
from kaicep.spark import filter as filter_events
from kaicep.spark.candidate_filter import CandidateFilter
from kaicep.spark.event_tables import plain_events
from pyspark.sql import DataFrame, SparkSession
from support.living import project

READINGS = [(f"s{i % 4}", f"2026-01-01T00:00:{i:02d}Z" if i % 5 else "soon", i / 2, "x") for i in range(20)]
NAMES = ["sensor", "at", "flow", "note.by"]
OFFICE = "PATH {?e ex:sensor ?s . ?s ex:in ?r . ?r a ex:Office} FILTER (?e.flow > 3)"


@pytest.fixture(scope="module")
def air(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("air"))


@pytest.fixture
def df(spark: SparkSession) -> DataFrame:
    schema = "sensor string, at string, flow double, `note.by` string"
    return spark.createDataFrame(READINGS, schema).repartition(3, "sensor")


def by_id(table: pa.Table) -> list[dict[str, object]]:
    return sorted(table.to_pylist(), key=lambda event: str(event["_id"]))


@pytest.mark.spark
def test_stages(air: Project, df: DataFrame) -> None:
    """One after the other, each as it is without Spark."""
    raw = pa.table(dict(zip(NAMES, zip(*READINGS, strict=True), strict=True)))
    expected = plain_events(air, "air", raw)
    events = annotate(df, air, "air")
    assert by_id(events.toArrow()) == by_id(expected)
    assert by_id(filter_events(events, air, "air", OFFICE).toArrow()) == by_id(
        CandidateFilter(air, "air", OFFICE).select(expected)
    )
    refused = rejected(df, air, "air").collect()
    assert {row["_reason"] for row in refused} == {"at: 'soon' is no xsd:dateTime"}
    assert sorted(row[:4] for row in refused) == sorted(r for r in READINGS if r[1] == "soon")


@pytest.mark.parametrize("stage", [annotate, rejected, partial(filter_events, clauses=OFFICE)])
def test_a_stream_that_there_is_not(air: Project, stage: Callable[..., DataFrame]) -> None:
    with pytest.raises(QueryTypeError, match="the project has no stream 'ari': did you mean 'air'"):
        stage(None, air, "ari")


def test_what_is_wrong_in_clauses_is_told_on_the_driver(air: Project) -> None:
    with pytest.raises(QueryTypeError, match=r"filter:2:12: unknown attribute 'flwo'"):
        filter_events(None, air, "air", "FILTER (?e.flwo > 3)")  # type: ignore[arg-type] # no frame is looked at
