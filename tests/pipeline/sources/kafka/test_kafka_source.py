"""Topics read by Spark, as by an engine."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import kaicep
import pyarrow as pa
import pytest
from kaicep.archive import Archive
from kaicep.config import Settings
from kaicep.errors import ConfigError, PipelineError
from kaicep.pipeline.hosting.archiver import Archiver
from kaicep.pipeline.sources import SourceStart
from kaicep.pipeline.sources.kafka import KafkaSource
from kaicep.pipeline.sources.records import RecordOrigin
from kaicep.pipeline.sources.source_table import source_streams
from pyspark.sql import SparkSession
from support.kafka import MockKafka, mock_kafka
from support.receivers import eventually

ATTRIBUTES = {"room": {"datatype": "xsd:string"}, "n": {"datatype": "xsd:integer"}}


@pytest.fixture
def kafka() -> Iterator[MockKafka]:
    with mock_kafka(air=2) as cluster:
        yield cluster


def tables(kafka: MockKafka, files: bool = False, hosting: str = "driver", **more: Any) -> dict[str, Any]:
    """A stream of a topic, perhaps one of files beside it."""
    source = {"kafka": {"servers": kafka.servers, "topics": ["air"], "key": "room", **more}}
    stream = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "identity": ["n"], "attributes": ATTRIBUTES}
    beside = {"door": {**stream, "source": {"format": "json", "path": "in"}}} if files else {}
    engine = {"hosting": hosting}
    return {"streams": {"air": {**stream, "lateness": "1h", "source": source}, **beside}, "engine": engine}


def produce(kafka: MockKafka, first: int, count: int, partition: int = 0) -> None:
    values = [f'{{"at": "2026-01-01T00:00:{n % 60:02}Z", "n": {n}}}' for n in range(first, first + count)]
    kafka.produce("air", values, partition=partition, key=f"room {partition}")


class Reader:
    """Engines of one project, one after the other; what their rows were."""

    def __init__(self, spark: SparkSession, root: Path, settings: dict[str, Any]) -> None:
        self.spark, self.root, self.settings = spark, root, settings
        self.out = root / "rows.jsonl"

    def read(self, *more: kaicep.Sink) -> list[int]:
        """What is there now, and the numbers in all rows, as they were written."""
        project = kaicep.Project.parse(self.settings, root=self.root)
        sinks = [kaicep.JsonLinesSink(self.out), *more]
        with kaicep.Engine(project, spark=self.spark, sinks=sinks) as engine:
            engine.submit("SELECT ?e.n, ?e.room FROM (?e, air) FILTER (?e.n >= 0)", label="all")
            engine.run_available()
            engine.finish()
        return self.numbers()

    def numbers(self) -> list[int]:
        return [json.loads(line)["n"] for line in self.out.read_text().splitlines()]


class Failing(kaicep.Sink):
    """Fails with the batch whose number it is given, when its rows have been written."""

    def __init__(self, batch: int) -> None:
        self.batch = batch

    def write(self, batch_id: int, query_name: str, matches: Any) -> None:
        if batch_id == self.batch:
            raise RuntimeError("the engine is killed")


def killed(*_: object) -> None:
    raise RuntimeError("the engine is killed")


def letters_in(folder: Path) -> list[dict[str, Any]]:
    """The dead letters of the topic, in order."""
    paths = sorted((folder / "var/state/dead-letters/air").glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


@pytest.mark.spark
@pytest.mark.parametrize("hosting", ["driver", pytest.param("executors", marks=pytest.mark.long)])
def test_records_are_read_once_over_restarts_and_lost_checkpoints(
    hosting: str, kafka: MockKafka, spark: SparkSession, tmp_path: Path
) -> None:
    """Where a batch fails it comes again; where Spark's checkpoint is lost, topics are read on from the journal."""
    reader = Reader(spark, tmp_path, tables(kafka, hosting=hosting, maxOffsetsPerTrigger=6))
    produce(kafka, 0, 10)
    produce(kafka, 10, 5, partition=1)
    assert sorted(reader.read()) == list(range(15))
    produce(kafka, 15, 12)
    with pytest.raises(PipelineError, match="the engine is killed"):
        reader.read(Failing(5))
    assert sorted(reader.read()) == list(range(27))
    produce(kafka, 27, 6, partition=1)
    with pytest.raises(PipelineError, match="the engine is killed"):
        reader.read(Failing(7))
    for checkpoint in (tmp_path / "var/state").glob("generation-*/checkpoint"):
        shutil.rmtree(checkpoint)
    produce(kafka, 33, 3)
    assert sorted(reader.read()) == list(range(36))


@pytest.mark.long
@pytest.mark.spark
def test_the_first_batch_begins_where_it_began(kafka: MockKafka, spark: SparkSession, tmp_path: Path) -> None:
    """Also when it is done again with the checkpoint lost, and the latest records are later ones by then."""
    reader = Reader(spark, tmp_path, tables(kafka, starting="latest"))
    produce(kafka, 0, 3)
    with pytest.raises(PipelineError, match="the engine is killed"):
        reader.read(Failing(1))
    produce(kafka, 3, 4)
    shutil.rmtree(tmp_path / "var/state/generation-000000")
    assert sorted(reader.read()) == [3, 4, 5, 6]


@pytest.mark.spark
@pytest.mark.parametrize("hosting", ["driver", pytest.param("executors", marks=pytest.mark.long)])
def test_what_is_wrong_is_told_and_the_rest_is_read(
    hosting: str, kafka: MockKafka, spark: SparkSession, tmp_path: Path
) -> None:
    """Files beside a topic come as ever."""
    reader = Reader(spark, tmp_path, tables(kafka, files=True, hosting=hosting, failOnDataLoss=False))
    (tmp_path / "in").mkdir()
    (tmp_path / "in/1.jsonl").write_text('{"at": "2026-01-01T00:00:00Z", "n": 99}\n')
    produce(kafka, 0, 2)
    assert sorted(reader.read()) == [0, 1]
    produce(kafka, 2, 4)
    kafka.produce("air", ["nonsense", None], partition=1)
    kafka.tell("forget air 0 4")
    assert sorted(reader.read()) == [0, 1, 4, 5]
    letters = "".join(path.read_text() for path in (tmp_path / "var/state/dead-letters").rglob("*") if path.is_file())
    assert "offsets 2 to 3 of air/0 were deleted before they were read" in letters
    assert "air/1, offset 0" in letters
    assert "no value: in topics that are compacted" in letters


@pytest.mark.long
@pytest.mark.spark
def test_deleted_records_end_the_stream_if_that_is_said(kafka: MockKafka, spark: SparkSession, tmp_path: Path) -> None:
    reader = Reader(spark, tmp_path, tables(kafka, failOnDataLoss=True))
    produce(kafka, 0, 2)
    reader.read()
    produce(kafka, 2, 4)
    kafka.tell("forget air 0 4")
    with pytest.raises(PipelineError, match="offsets 2 to 3 of air/0 were deleted before they were read: leave failOn"):
        reader.read()


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.parametrize("hosting", ["driver", "executors"])
def test_a_batch_is_done_again_when_its_records_are_gone(
    hosting: str, kafka: MockKafka, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the log has is taken from it; what it has not is a dead letter."""
    reader = Reader(spark, tmp_path, tables(kafka, hosting=hosting))
    kafka.produce("air", ["nonsense"])
    produce(kafka, 1, 3)
    with pytest.raises(PipelineError, match="the engine is killed"):
        reader.read(Failing(1))
    kafka.tell("forget air 0 3")
    assert reader.read() == [1, 2, 3]
    (letter,) = letters_in(tmp_path)
    assert letter["place"] == "air/0, offset 0"
    produce(kafka, 4, 4)
    with monkeypatch.context() as patch:
        patch.setattr(Archive, "append", killed)
        with pytest.raises((PipelineError, RuntimeError), match="the engine is killed"):
            reader.read()
    kafka.tell("forget air 0 6")
    assert reader.read() == [1, 2, 3, 6, 7]
    lost = letters_in(tmp_path)[-1]
    deleted = "offsets 4 to 5 of air/0 were deleted before they were read"
    assert (lost["place"], lost["reason"]) == ("air/0, offset 5", deleted)
    produce(kafka, 8, 1)
    assert reader.read() == [1, 2, 3, 6, 7, 8]


@pytest.mark.long
@pytest.mark.spark
def test_brokers_that_are_away_are_no_empty_topic(kafka: MockKafka, spark: SparkSession, tmp_path: Path) -> None:
    reader = Reader(spark, tmp_path, tables(kafka))
    produce(kafka, 0, 2)
    reader.read()
    kafka.down()
    with pytest.raises(PipelineError, match="the brokers of Kafka do not answer"):
        reader.read()


@pytest.mark.long
@pytest.mark.spark
def test_an_engine_outlives_brokers_that_go_and_come(kafka: MockKafka, spark: SparkSession, tmp_path: Path) -> None:
    """Also those of the sink, which cannot be asked where its topic ends meanwhile."""
    settings = tables(kafka, files=True) | {"engine": {"trigger": "100ms", "idle_timeout": "1s"}}
    settings["streams"]["air"]["lateness"] = "0s"
    kafka.tell("topic rows 1")
    sink = kaicep.KafkaSink(kafka.servers, "rows", timeout=timedelta(seconds=3))
    with kaicep.Engine(kaicep.Project.parse(settings, root=tmp_path), spark=spark, sinks=[sink]) as engine:
        handle = engine.submit("SELECT ?e.n FROM (?e, air) FILTER (?e.n >= 0)", label="all")
        produce(kafka, 0, 3)
        engine.start()
        assert eventually(lambda: len(handle.rows()) >= 3, 120)
        kafka.down()
        (tmp_path / "in/1.jsonl").write_text('{"at": "2026-01-01T00:00:00Z", "n": 99}\n')
        time.sleep(3)
        kafka.up()
        produce(kafka, 3, 3)
        assert eventually(lambda: len(handle.rows()) >= 6, 180)
        engine.stop()
    assert [json.loads(record.value() or b"")["n"] for record in kafka.records("rows", 99)] == list(range(6))


@pytest.mark.long
@pytest.mark.spark
def test_an_archiver_keeps_records_once(kafka: MockKafka, spark: SparkSession, tmp_path: Path) -> None:
    """Also where its checkpoint is lost; the engine reads the same topic, and knows what it has."""
    settings = tables(kafka)
    kept = []
    for first, count in ((0, 5), (5, 3)):
        produce(kafka, first, count)
        archiver = Archiver(kaicep.Project.parse(settings, root=tmp_path), spark=spark)
        archiver.run_available()
        archiver.close()
        kept.append(archiver.events)
        shutil.rmtree(tmp_path / "var/state/archiver/generation-000000")
    assert kept == [5, 3]
    assert sorted(Reader(spark, tmp_path, settings).read()) == list(range(8))


def test_reading_begins_where_somebody_says(tmp_path: Path, kafka: MockKafka) -> None:
    source = source_streams(Settings.parse(tables(kafka), root=tmp_path))["air"]
    assert isinstance(source, KafkaSource)
    with pytest.raises(PipelineError, match="nobody has said where reading begins"):
        source.open(None)  # type: ignore[arg-type]  # no Spark is asked


def test_a_batch_may_be_too_large(tmp_path: Path, kafka: MockKafka, monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_streams(Settings.parse(tables(kafka), root=tmp_path))["air"]
    monkeypatch.setattr("kaicep.pipeline.sources.kafka.kafka_source._MOST_BYTES", 3)
    with pytest.raises(PipelineError, match=r"streams\.air: a batch has more than 2 GB of records: set maxOffsets"):
        source.records(pa.table({"value": [b"four"]}), RecordOrigin.of("batch"))


def test_a_secret_that_is_not_there(tmp_path: Path, kafka: MockKafka) -> None:
    settings = Settings.parse(tables(kafka, options={"sasl.password": "env:NO_SUCH"}), root=tmp_path)
    source = source_streams(settings, {"air": SourceStart(tmp_path / "n.json", {})})["air"]
    message = r"streams\.air\.source\.kafka\.options\.sasl\.password: the environment has no variable 'NO_SUCH'"
    with pytest.raises(ConfigError, match=message):
        source.open(None)  # type: ignore[arg-type]  # likewise
