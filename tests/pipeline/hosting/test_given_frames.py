"""An engine over DataFrames that a program has gives the rows of `evaluate`, over restarts too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kaicep import Engine, PipelineError, Project, QueryTypeError
from kaicep.pipeline.hosting.given_frames import with_frames
from kaicep.pipeline.sinks import CallbackSink
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as PySpark's own documentation has it
from support.sampling import some_of

SCHEMA = "device string, at string, litres double"
RISES = (
    "SELECT ?a.flow AS x, ?b.flow AS y FROM (?a, air), (?b, air) "
    "JOIN (?a.sensor = ?b.sensor) JOIN (?b.flow > ?a.flow) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
)
RAW: list[dict[str, Any]] = [
    {"device": f"s{i % 2}", "at": f"2026-01-01T00:00:{i:02d}Z", "litres": float(i * 3 % 7)} for i in range(30)
]
TUPLES = [{"sensor": raw["device"], "at": raw["at"], "flow": raw["litres"] * 10} for raw in RAW]


@pytest.fixture
def known(tmp_path: Path) -> Project:
    stream = {
        "event_type": "<urn:Report>",
        "time": {"attribute": "at"},
        "identity": ["sensor", "at"],
        "attributes": {"sensor": {"datatype": "xsd:string"}, "flow": {"datatype": "xsd:double"}},
        "source": {"format": "json", "path": "nowhere/"},
    }
    other = {"event_type": "<urn:Level>", "time": {"attribute": "at"}, "attributes": {"m": {"datatype": "xsd:double"}}}
    return Project.parse({"streams": {"air": stream, "water": other}, "knowledge": {"reasoner": "none"}}, root=tmp_path)


def landing(spark: SparkSession, folder: Path) -> DataFrame:
    """What a program has made of files that drop into a folder."""
    files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder / "landing"))
    return files.select(F.col("device").alias("sensor"), "at", (F.col("litres") * 10).alias("flow"))


def drop(spark: SparkSession, folder: Path, raw: list[dict[str, Any]]) -> None:
    spark.createDataFrame(raw, SCHEMA).coalesce(1).write.mode("append").parquet(str(folder / "landing"))


def ran(known: Project, spark: SparkSession, folder: Path, *, ends: bool = False) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    sink = CallbackSink(lambda _query, row: found.append(dict(row)))
    with Engine(known, sources={"air": landing(spark, folder)}, sinks=[sink]) as engine:
        engine.submit(RISES, label="rises")
        engine.run_available()
        if ends:
            engine.finish()
    return found


@pytest.mark.spark
@pytest.mark.parametrize("hosting", some_of(["driver", "executors"], 1))
def test_its_rows_are_those_of_evaluate(hosting: str, known: Project, spark: SparkSession, tmp_path: Path) -> None:
    """Over a restart that goes on from Spark's checkpoint, and one that begins it anew."""
    engine = known.settings.engine.model_copy(update={"hosting": hosting})
    known = replace(known, settings=known.settings.model_copy(update={"engine": engine}))
    for first in (0, 5, 10):
        drop(spark, tmp_path, RAW[first : first + 5])
    found = ran(known, spark, tmp_path)
    drop(spark, tmp_path, RAW[15:22])
    found += ran(known, spark, tmp_path)
    (checkpoint,) = (tmp_path / known.settings.engine.state).glob("generation-*/checkpoint/metadata")
    checkpoint.unlink()
    drop(spark, tmp_path, RAW[22:])
    found += ran(known, spark, tmp_path, ends=True)
    assert [row["_id"] for row in found] == [row["_id"] for row in known.evaluate(RISES, {"air": TUPLES})]
    assert len(found) > 10


@pytest.mark.spark
def test_what_is_no_stream_of_its_own_is_refused(known: Project, spark: SparkSession, tmp_path: Path) -> None:
    drop(spark, tmp_path, RAW[:1])
    one = landing(spark, tmp_path)
    with pytest.raises(PipelineError, match=r"the DataFrame of 'air' is no stream: read it with spark\.readStream"):
        Engine(known, sources={"air": spark.read.schema(SCHEMA).parquet(str(tmp_path / "landing"))})
    with pytest.raises(PipelineError, match=r"the DataFrame of 'air' is made of 2 streams.*let it begin with one"):
        Engine(known, sources={"air": one.unionByName(landing(spark, tmp_path))})
    with pytest.raises(QueryTypeError, match="the project has no stream 'ari': did you mean 'air'"):
        Engine(known, sources={"ari": one})
    assert with_frames(known, {"water": one}).settings.streams["air"] == known.settings.streams["air"]
