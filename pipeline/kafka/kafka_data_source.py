"""Topics as a data source of Spark in Python: for where Spark's own connector, a jar, is not there.

What a batch has is Spark's to note, in its checkpoint; the workers read it, each a range of one partition. There is no
group of consumers, so nothing rebalances: a partition whose leader is lost is read on from the next one.

Source: Spark, `pyspark.sql.datasource`; Structured Streaming + Kafka Integration Guide, whose options these are.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from .kafka_client import client_options
from .offset_ranges import OffsetRange, Offsets, count, limited, ranges
from .range_reader import read_range
from .starting_offsets import starting_offsets
from .topic_offsets import TopicOffsets

__all__ = ["KAFKA_FORMAT", "KafkaDataSource", "KafkaStreamReader", "TopicRead"]

KAFKA_FORMAT = "kaicep_kafka"
"""The name of the data source."""

_SCHEMA = (
    "topic string, partition int, offset bigint, timestamp timestamp, key binary, value binary, "
    "headers array<struct<key: string, value: binary>>, lost string"
)
_OPTION = "topicread"
_CLIENT = "kafka.secret."
"""Before the options of the client: by such a name Spark shows no value, in no plan and no log."""
_AWAY_S = 2.0
"""How long brokers that were away may take for an answer: other streams wait for it."""


@dataclass(frozen=True, slots=True)
class TopicRead:
    """What is read, and how: options of the data source.

    Attributes:
        stream: for messages.
        topics: by name; none: those of the pattern.
        pattern: a regular expression; `None`: they are named.
        starting: `earliest`, `latest`, or a time.
        read: up to where topics were read before.
        note: the file that says where this checkpoint began.
        columns: which of timestamp, key and headers are wanted.
        most: so many offsets a batch has at most; `None`: all that there are.
        least: so many are waited for.
        delay_s: for so many seconds at most.
        strict: whether records that were deleted before they were read end the stream.
        timeout_s: how long an answer of the brokers may take.
        patience_s: how long they may bring nothing of what is there.
    """

    stream: str
    topics: tuple[str, ...]
    pattern: str | None
    starting: str
    read: Offsets
    note: str
    columns: tuple[str, ...] = ()
    most: int | None = None
    least: int = 0
    delay_s: float = 900.0
    strict: bool = False
    timeout_s: float = 10.0
    patience_s: float = 60.0

    def options(self, servers: str, client: Mapping[str, str]) -> dict[str, str]:
        """All of it, and what the client is given, as options of Spark."""
        own = {field: getattr(self, field) for field in self.__slots__}
        return {_OPTION: json.dumps(own), "servers": servers, **{f"{_CLIENT}{k}": v for k, v in client.items()}}

    @classmethod
    def of(cls, options: Mapping[str, str]) -> TopicRead:
        """What the options say."""
        own = json.loads(options[_OPTION])
        return cls(**{**own, "topics": tuple(own["topics"]), "columns": tuple(own["columns"])})


class KafkaDataSource(DataSource):
    """The data source; its options are those of `TopicRead`."""

    @classmethod
    def name(cls) -> str:
        """What Spark calls it."""
        return KAFKA_FORMAT

    def schema(self) -> str:
        """The columns of `KAFKA_SCHEMA`."""
        return _SCHEMA

    def streamReader(self, schema: Any) -> KafkaStreamReader:  # noqa: N802 - Spark's name
        """What reads a stream."""
        del schema
        client = {k.removeprefix(_CLIENT): v for k, v in self.options.items() if k.startswith(_CLIENT)}
        return KafkaStreamReader(TopicRead.of(self.options), self.options["servers"], client)


@dataclass
class _Range(InputPartition):
    """What one task reads."""

    of: OffsetRange


class KafkaStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans batches, and reads their ranges; see `DataSourceStreamReader`.

    Args:
        read: what is read, and how.
        servers: of Kafka.
        client: options of librdkafka.
        say: tells of brokers that are away; nobody else would.
    """

    def __init__(
        self,
        read: TopicRead,
        servers: str,
        client: Mapping[str, str],
        say: Callable[[str], object] | None = None,
    ) -> None:
        self._read, self._servers, self._client = read, servers, dict(client)
        self._say = say
        self._topics: TopicOffsets | None = None
        self._pinned: Offsets | None = None
        self._away = False
        self._batch_began = time.monotonic()

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Where the checkpoint began."""
        of = self._read
        return _plain(starting_offsets(Path(of.note), of.read, of.starting, self._asked()))

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - likewise
        """At most so many offsets as the settings say."""
        return ReadAllAvailable() if self._read.most is None else ReadMaxRows(self._read.most)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - likewise
        """Read up to what is there now."""
        self._pinned = self._asked().latest()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802 - likewise
        """Up to where the next batch goes: nowhere while the brokers are away, or too little is there."""
        there = self._there(start)
        if self._pinned is None and self._waits(count(start, there)):
            return start
        self._batch_began = time.monotonic()
        most = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        return _plain(there if most is None else limited(start, there, most))

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The ranges of a batch, by topic and partition."""
        found = ranges(start, end, self._asked().earliest_of)
        lost = [one.lost for one in found if one.lost]
        if lost and self._read.strict:
            way_out = "leave failOnDataLoss out of its source to go on with the rest"
            raise ValueError(f"streams.{self._read.stream}: {'; '.join(lost)}: {way_out}")
        return [_Range(one) for one in found]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of a range."""
        assert isinstance(partition, _Range)  # noqa: S101 - as `partitions` has made them
        options = client_options(self._servers, self._client)
        of = self._read
        return read_range(options, partition.of, frozenset(of.columns), of.patience_s, strict=of.strict)

    def stop(self) -> None:
        """Give the connections back."""
        if self._topics is not None:
            self._topics.close()
        self._topics = None

    def __getstate__(self) -> dict[str, Any]:
        """Without connections: the workers have their own."""
        return {**self.__dict__, "_topics": None}

    def _there(self, start: Offsets) -> Offsets:
        """Up to where there is something to read; partitions that the brokers lack stay as they are."""
        if self._pinned is not None:
            return _over(start, self._pinned)
        try:
            found = _over(start, self._asked().latest())
        except OSError as error:
            self._tell(f"{error.strerror or error}")
            return start
        self._tell("")
        return found

    def _waits(self, rows: int) -> bool:
        """Whether too little is there."""
        return rows < self._read.least and time.monotonic() - self._batch_began < self._read.delay_s

    def _tell(self, trouble: str) -> None:
        """Say once that the brokers are away, and once that they are there again."""
        if bool(trouble) == self._away:
            return
        self._away = bool(trouble)
        self.stop()
        told = trouble and f"{trouble}; its records are read when they do"
        (self._say or _on_standard_error)(f"streams.{self._read.stream}: {told or 'the brokers of Kafka answer again'}")

    def _asked(self) -> TopicOffsets:
        if self._topics is None:
            of, timeout_s = self._read, _AWAY_S if self._away else self._read.timeout_s
            self._topics = TopicOffsets(client_options(self._servers, self._client), of.topics, of.pattern, timeout_s)
        return self._topics


def _over(start: Offsets, found: Offsets) -> Offsets:
    topics = {**start, **found}
    return {topic: {**start.get(topic, {}), **found.get(topic, {})} for topic in topics}


def _plain(offsets: Offsets) -> dict[str, Any]:
    """As Spark takes it."""
    return {topic: dict(of) for topic, of in offsets.items()}


def _on_standard_error(line: str) -> None:
    """The process of Spark that plans batches has no other way to be heard."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
