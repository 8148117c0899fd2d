"""One Spark session for all tests that need one: starting it takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kaicep.config import EngineSettings, Settings
from kaicep.pipeline.durability.generations.spark_checkpoint import SparkCheckpoint
from kaicep.pipeline.hosting.spark_session import start_spark, stop_spark
from kaicep.pipeline.sources.records import RawBatch
from kaicep.pipeline.sources.source_union import read_streams, unpack
from pyspark.sql import DataFrame, SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A session on two cores."""
    session = start_spark(EngineSettings(master="local[2]"))
    yield session
    stop_spark(session)


def run_batches(
    spark: SparkSession, settings: Settings, checkpoint: Path, handle: Callable[[dict[str, RawBatch]], None]
) -> None:
    """Read what a project's sources have now, and hand each batch to `handle`."""

    def on_batch(batch: DataFrame, number: int) -> None:
        listed = dict(zip(settings.streams, SparkCheckpoint(checkpoint).files(number), strict=False))
        handle(unpack(batch, settings, {}, listed))

    writer = read_streams(spark, settings).writeStream.foreachBatch(on_batch)
    writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start().awaitTermination()
