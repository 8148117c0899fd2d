"""Rows that executors write down come in the order in which Spark has them, those of topics by their offsets."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from kaicep.config import Settings
from kaicep.errors import PipelineError
from kaicep.pipeline.executors.row_dump import write_rows
from pyspark.sql import SparkSession

STREAM: dict[str, Any] = {"event_type": "<urn:R>", "time": {"attribute": "at"}}
KAFKA = {"kafka": {"servers": "nowhere:9092", "topics": ["air"]}}
SCHEMA = "_stream int, `1:topic` string, `1:partition` int, `1:offset` long"
AT = datetime(2026, 1, 1, microsecond=5, tzinfo=UTC)

pytestmark = pytest.mark.spark


def settings_of(folder: Path, source: dict[str, Any]) -> Settings:
    streams = {name: {**STREAM, "source": of} for name, of in (("door", {"format": "rate"}), ("air", source))}
    return Settings.parse({"streams": streams}, root=folder)


def test_rows_of_a_stream_are_in_files_by_partition(spark: SparkSession, tmp_path: Path) -> None:
    """Empty ones are left out; moments are exact."""
    rows = [(number % 2, float(number), number, AT) for number in range(10)]
    batch = spark.createDataFrame(rows, "_stream int, `0:x` double, `1:n` int, `1:at` timestamp").repartition(4)
    found = write_rows(batch, settings_of(tmp_path, {"format": "rate"}), "air", tmp_path / "rows")
    tables = [pq.read_table(path) for path, _ in found]
    assert [before for _, before in found] == [sum(t.num_rows for t in tables[:place]) for place in range(len(tables))]
    assert sorted(n for table in tables for n in table["n"].to_pylist()) == [1, 3, 5, 7, 9]
    assert all(table.column_names == ["n", "at"] and set(table["at"].to_pylist()) == {AT} for table in tables)
    assert not list(write_rows(batch.limit(0), settings_of(tmp_path, {"format": "rate"}), "air", tmp_path / "none"))


def test_topics_come_by_their_offsets(spark: SparkSession, tmp_path: Path) -> None:
    ranges = [("b", 0, 3), ("a", 1, 0), ("a", 0, 7)]
    frames = [
        spark.createDataFrame(
            [(1, topic, part, first + n) for n in range(2)],
            SCHEMA,
        )
        for topic, part, first in ranges
    ]
    batch = frames[0].union(frames[1]).union(frames[2])
    found = write_rows(batch, settings_of(tmp_path, KAFKA), "air", tmp_path / "rows")
    read = [row for path, _ in found for row in pq.read_table(path).to_pylist()]
    places = [(row["topic"], row["partition"], row["offset"]) for row in read]
    assert places == [("a", 0, 7), ("a", 0, 8), ("a", 1, 0), ("a", 1, 1), ("b", 0, 3), ("b", 0, 4)]


def test_what_spark_complains_of_is_told(spark: SparkSession, tmp_path: Path) -> None:
    batch = spark.range(3).selectExpr("1 AS _stream", "raise_error('no such disk') AS `1:n`")
    with pytest.raises(PipelineError, match=r"Spark cannot read a batch: .*no such disk"):
        write_rows(batch, settings_of(tmp_path, {"format": "rate"}), "air", tmp_path / "rows")
