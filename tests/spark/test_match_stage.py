"""Rows from DataFrames are those of `evaluate`; what they cannot say is refused."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kaicep import PlanError, Project, QueryTypeError
from kaicep.spark import matches
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

SCHEMA = "sensor string, at string, flow double, note string"
PAIR = "SELECT ?a.flow AS x, ?b.flow AS y FROM (?a, air), (?b, air)"
RISES = f"{PAIR} JOIN (?a.sensor = ?b.sensor) JOIN (?b.flow > ?a.flow) SEQ (?a, ?b) WINDOW (?a, ?b, 9s)"
WHOLE = "SELECT AVG(?e.flow) AS mean, COUNT(?e) AS n FROM (?e, air) WINDOW (?e, batch, 10s)"
BOTH = "SELECT ?a.flow AS x, ?w.level AS y FROM (?a, air), (?w, water) SEQ (?a, ?w) WINDOW (?a, ?w, 3s)"
READINGS: list[dict[str, Any]] = [
    {"sensor": f"s{i % 3}", "at": f"2026-01-01T00:00:{i:02d}Z", "flow": float(i * 7 % 11), "note": None}
    for i in range(50)
]
LEVELS = [{"level": float(i), "at": f"2026-01-01T00:00:{3 * i:02d}.5Z"} for i in range(15)]


def stream(**attributes: str) -> dict[str, Any]:
    declared = {name: {"datatype": kind} for name, kind in attributes.items()}
    return {"event_type": "<urn:Report>", "time": {"attribute": "at"}, "lateness": "2s", "attributes": declared}


@pytest.fixture
def known(tmp_path: Path) -> Project:
    (tmp_path / "own.chi").write_text("CREATE QUERY high AS SELECT ?e.flow AS flow FROM (?e, air) FILTER (?e.flow > 5)")
    streams = {"air": stream(sensor="xsd:string", flow="xsd:double"), "water": stream(level="xsd:double")}
    content = {"streams": streams, "queries": {"files": ["own.chi"]}, "actions": {"call": {"command": ["true"]}}}
    return Project.parse({**content, "knowledge": {"reasoner": "none"}}, root=tmp_path)


def sorted_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: str(row["_id"]))


def expected(project: Project, text: str, **streams: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = project.evaluate(text, streams).to_arrow().to_pylist()
    return sorted_rows(found)


def shuffled(spark: SparkSession, readings: list[dict[str, Any]], schema: str) -> DataFrame:
    """A past that lies in no order, in three pieces."""
    return spark.createDataFrame(random.Random(7).sample(readings, len(readings)), schema).repartition(3)


@pytest.mark.spark
@pytest.mark.parametrize("text", [RISES, WHOLE])
def test_a_past(known: Project, spark: SparkSession, text: str) -> None:
    """In shards, and whole."""
    found = matches(shuffled(spark, READINGS, SCHEMA), known, text)
    assert sorted_rows(found.toArrow().to_pylist()) == expected(known, text, air=READINGS)


@pytest.mark.spark
def test_a_past_of_two_streams(known: Project, spark: SparkSession) -> None:
    frames = {"air": shuffled(spark, READINGS, SCHEMA), "water": shuffled(spark, LEVELS, "level double, at string")}
    found = matches(frames, known, BOTH).toArrow().to_pylist()
    assert sorted_rows(found) == expected(known, BOTH, air=READINGS, water=LEVELS)
    assert found


@pytest.mark.spark
def test_a_past_in_its_order_of_arrival(known: Project, spark: SparkSession) -> None:
    """Lateness is judged event by event in this order."""
    came = random.Random(3).sample(READINGS, len(READINGS))
    numbered = [{**reading, "note": f"{number:02d}"} for number, reading in enumerate(came)]
    found = matches(shuffled(spark, numbered, SCHEMA), known, RISES, arrival="note").toArrow().to_pylist()
    assert sorted_rows(found) == expected(known, RISES, air=numbered)
    assert len(found) < len(expected(known, RISES, air=READINGS))


class Landing:
    """A folder that files drop into, one a micro-batch, and the rows of a query over it."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder

    def drop(self, readings: list[dict[str, Any]]) -> None:
        frame = self.spark.createDataFrame(readings, SCHEMA).coalesce(1)
        frame.write.mode("append").parquet(str(self.folder / "in"))

    def read(self, project: Project, text: str) -> list[dict[str, Any]]:
        """Read what there is, from the checkpoint on; all rows so far."""
        reader = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
        rows = matches(reader.parquet(str(self.folder / "in")), project, text)
        assert rows.isStreaming
        writer = rows.writeStream.format("parquet").outputMode("append").trigger(availableNow=True)
        writer.option("checkpointLocation", str(self.folder / "checkpoint")).start(
            str(self.folder / "out")
        ).awaitTermination()
        return sorted_rows(self.spark.read.parquet(str(self.folder / "out")).toArrow().to_pylist())


@pytest.mark.spark
def test_a_stream_that_is_interrupted(known: Project, spark: SparkSession, tmp_path: Path) -> None:
    """Micro-batches that overlap in time: events within them come in order of time, late ones are left out."""
    landing = Landing(spark, tmp_path / "landing")
    batches = [READINGS[:20], [*READINGS[22:30], READINGS[21], READINGS[17]], [*READINGS[30:50], READINGS[20]]]
    for batch in batches[:2]:
        landing.drop(batch)
    landing.read(known, RISES)
    landing.drop(batches[2])
    found = landing.read(known, RISES)
    came = [reading for batch in batches for reading in sorted(batch, key=lambda reading: reading["at"])]
    assert found == [row for row in expected(known, RISES, air=came) if row["_time"].second < 47]
    landing.drop(READINGS[40:41])
    with pytest.raises(StreamingQueryException, match="the checkpoint holds no state of 'query-1'"):
        landing.read(known, RISES.replace("9s", "8s"))


@dataclass
class Frame:
    """As much of a DataFrame as a refusal looks at."""

    isStreaming: bool = False  # noqa: N815 - Spark's
    sparkSession: None = None  # noqa: N815 - Spark's


EITHER = "read all with spark.readStream, or all with spark.read"
IN_FRONT = "write these queries in front of it, in the same document"
REFUSED: list[tuple[str, Any, str]] = [
    (BOTH, Frame(), "the document reads 2 streams: air, water: give a DataFrame for each: {'air': …, 'water': …}"),
    (BOTH, {"air": Frame()}, "there is no DataFrame for water: give 'water': … too"),
    (
        BOTH,
        {"air": Frame(), "water": Frame(isStreaming=True)},
        f"air: no stream, beside others that are: of what comes later nobody knows its order: {EITHER}",
    ),
    (
        "SELECT ?h.flow AS flow FROM (?h, high)",
        Frame(),
        f"the document reads high of the project's files: {IN_FRONT}: executors have no files of the project",
    ),
    (
        f"CREATE RULE r ON air AS ?e DO CALL call(?e.flow AS flow) {RISES}",
        Frame(),
        "rule r calls actions: let an engine answer it: kaicep.Engine",
    ),
    (
        "CREATE RULE r ON air AS ?e DO EMIT spike(?e.flow AS flow)",
        Frame(),
        "the document's last query has no rows: add a query, such as SELECT …",
    ),
]


@pytest.mark.parametrize(("text", "given", "message"), REFUSED)
def test_what_cannot_be_answered_is_refused(known: Project, text: str, given: Any, message: str) -> None:
    with pytest.raises(PlanError) as refused:
        matches(given, known, text)
    assert str(refused.value) == message


def test_a_stream_that_there_is_not(known: Project) -> None:
    with pytest.raises(QueryTypeError, match="the project has no stream 'ari': did you mean 'air'"):
        matches({"ari": Frame()}, known, RISES)  # type: ignore[dict-item] # refused before it is looked at


def test_arrival_beside_tuples_that_make_several(known: Project, tmp_path: Path) -> None:
    source = {"format": "csv", "path": "in/", "unpivot": {"name": "sensor", "value": "flow"}}
    streams = {"air": stream(sensor="xsd:string", flow="xsd:double") | {"source": source}}
    wide = Project.parse({"streams": streams, "knowledge": {"reasoner": "none"}}, root=tmp_path)
    with pytest.raises(PlanError, match=r"arrival beside streams\.air\.source\.unpivot.*unpivot the DataFrame first"):
        matches(Frame(), wide, WHOLE, arrival="offset")  # type: ignore[arg-type] # refused before it is looked at
