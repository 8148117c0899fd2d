"""Functions over Arrow tables on executors: any names, all types, and what to install."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest
from kaicep import PipelineError
from kaicep.spark import arrow_mapping
from kaicep.spark.arrow_mapping import mapped, pandas_at_hand, spark_schema
from pyspark.sql import SparkSession

SCHEMA = pa.schema(
    [
        ("http://cei.usc.edu/Event.owl#hasSource", pa.string()),
        ("a `quoted` name", pa.float64()),
        ("_time", pa.timestamp("us", tz="UTC")),
        ("_events", pa.struct([("a", pa.list_(pa.string()))])),
        ("_context", pa.list_(pa.string())),
        ("n", pa.int64()),
        ("b", pa.bool_()),
        ("lasted", pa.duration("us")),
    ]
)
ROW = ("urn:s", 1.5, datetime(2026, 1, 1, tzinfo=UTC), {"a": ["urn:1", "urn:2"]}, None, 7, True, 1_000_000)


def test_types_are_sparks() -> None:
    kinds = [field.dataType.simpleString() for field in spark_schema(SCHEMA)]
    kept = ["struct<a:array<string>>", "array<string>", "bigint", "boolean", "interval day to second"]
    assert kinds == ["string", "double", "timestamp", *kept]


def test_without_pandas_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_mapping, "find_spec", lambda name: None)
    with pytest.raises(PipelineError, match=r'without pandas.*pip install "kaicep\[spark\]"'), pandas_at_hand():
        pass


@pytest.mark.spark
def test_rows_go_through_as_they_are(spark: SparkSession) -> None:
    table = pa.table([[value] for value in ROW], schema=SCHEMA)

    def made(raw: pa.Table) -> pa.Table:
        return pa.concat_tables([table] * raw.num_rows)

    df = mapped(spark.range(3).withColumnRenamed("id", "a.b"), made, spark_schema(SCHEMA))
    again = mapped(df, lambda rows: rows.slice(1), df.schema).toArrow()
    assert again.select(SCHEMA.names).to_pylist() == table.to_pylist() * again.num_rows
    assert again.num_rows in range(1, 3)  # one less in each piece
