"""A stream whose records are in Kafka: by Spark's own connector where its jar is there, else by ours.

Both write offsets alike, and have the same options, so a checkpoint of the one is read on by the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from ....errors import PipelineError
from ....settings import KafkaSourceSettings, found_secret
from ...kafka import kafka_library
from ..records import RawBatch, RecordOrigin
from ..source import SourceStart
from ..spark_source import SparkSource, column_of, first_line
from .kafka_records import kafka_records, wanted_columns
from .spark_connector import SPARK_FORMAT, connector_options

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["KafkaSource"]

# Arrow counts the bytes of a column of texts by 32 bits.
_MOST_BYTES = 2_000_000_000
_NO_JAR = "KAFKA_DATA_SOURCE_NOT_ENABLED"


class KafkaSource(SparkSource):
    """Topics; see `RecordSource`."""

    @cached_property
    def _kafka(self) -> KafkaSourceSettings:
        found = self.of.settings.kafka
        if found is None:
            raise PipelineError(f"streams.{self.of.name}: its source is not in Kafka", hint="write kafka = { … }")
        return found

    def open(self, spark: SparkSession, files: Sequence[str] = ()) -> DataFrame:
        """The records, where reading begins with the start of the spec.

        Raises:
            ConfigError: a secret, or the library, is not there.
        """
        del files
        start = self.of.start
        if start is None:
            raise PipelineError(f"streams.{self.of.name}: nobody has said where reading begins", hint="run the engine")
        own = f"streams.{self.of.name}.source.kafka"
        root, file = self.of.project.root, self.of.project.file
        client = {
            name: found_secret(f"{own}.options.{name}", text, root, file) for name, text in self._kafka.options.items()
        }
        found = self._by_connector(spark, client, start)
        if found is None:
            kafka_library(own, file)
            found = self._by_ours(spark, client, start)
        return found

    def columns(self, frame: DataFrame) -> dict[str, Column]:
        """Value, place and what attributes are filled from; `lost` of Spark's connector is empty: its log tells."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see `spark_source`

        wanted = ("value", "topic", "partition", "offset", *wanted_columns(self._kafka))
        columns = {name: column_of(name) for name in wanted}
        lost = column_of("lost") if "lost" in frame.columns else F.lit(None).cast("string")
        return {**columns, "lost": lost}

    def records(self, rows: pa.Table, origin: RecordOrigin) -> RawBatch:
        """The records by topic, partition and offset."""
        del origin
        if rows.nbytes > _MOST_BYTES:
            raise PipelineError(
                f"streams.{self.of.name}: a batch has more than 2 GB of records",
                hint="set maxOffsetsPerTrigger in kafka = { … } to read less at once",
            )
        return kafka_records(rows, self.of.stream, self._kafka)

    def _by_connector(self, spark: SparkSession, client: dict[str, str], start: SourceStart) -> DataFrame | None:
        """What Spark's own connector reads; `None`: its jar is not there."""
        from pyspark.errors import AnalysisException  # noqa: PLC0415 - see `spark_source`

        options = connector_options(self._kafka, client, start.read)
        try:
            found: DataFrame = spark.readStream.format(SPARK_FORMAT).options(**options).load()
        except AnalysisException as error:
            if error.getCondition() == _NO_JAR:
                return None
            raise PipelineError(
                f"streams.{self.of.name}: Spark cannot read the source: {first_line(error)}",
                hint=f"check streams.{self.of.name}.source.kafka",
            ) from error
        return found

    def _by_ours(self, spark: SparkSession, client: dict[str, str], start: SourceStart) -> DataFrame:
        from ...kafka import KAFKA_FORMAT, KafkaDataSource, TopicRead  # noqa: PLC0415 - see `spark_source`

        kafka = self._kafka
        read = TopicRead(
            stream=self.of.name,
            topics=kafka.topics,
            pattern=kafka.pattern,
            starting=kafka.starting,
            read=start.read,
            note=str(start.note.absolute()),
            columns=wanted_columns(kafka),
            most=kafka.most,
            least=kafka.least,
            delay_s=kafka.delay.total_seconds(),
            strict=kafka.strict is True,
        )
        spark.dataSource.register(KafkaDataSource)
        options = read.options(kafka.servers, client)
        found: DataFrame = spark.readStream.format(KAFKA_FORMAT).options(**options).load()
        return found
