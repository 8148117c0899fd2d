"""Records of a range of offsets as Arrow columns; runs in the workers of Spark.

Control records and records that compaction has removed leave gaps: a range is read when its end is reached, not when so
many records have come.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .offset_ranges import OffsetRange, still_there
from .topic_offsets import unanswered

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message

__all__ = ["KAFKA_SCHEMA", "read_range"]

_HEADER = pa.struct([("key", pa.string()), ("value", pa.binary())])
KAFKA_SCHEMA = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", pa.list_(_HEADER)),
        ("lost", pa.string()),
    ]
)
"""Columns of what is read, named as Spark's connector names them; `lost` says of a row that is none what is missing."""

_AT_ONCE, _POLL_S = 10_000, 0.5
_MOST_AHEAD = 100_000
_DONE_BY_US = {"enable.auto.commit": False, "auto.offset.reset": "error", "enable.partition.eof": True}


class _GoneError(ValueError):
    """Records are gone that were there when the range was planned."""

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position


def read_range(
    options: Mapping[str, Any],
    wanted: OffsetRange,
    columns: frozenset[str],
    patience_s: float,
    *,
    strict: bool = False,
) -> Iterator[pa.RecordBatch]:
    """Read a range; what is gone of it is told of by rows that are none.

    Args:
        options: of the client, see `client_options`.
        wanted: the range.
        columns: which of timestamp, key and headers are wanted; the others stay empty.
        patience_s: how long the brokers may bring nothing.
        strict: whether it is an error that records of the range are gone meanwhile.

    Raises:
        OSError: the brokers bring nothing for too long.
        ValueError: they refuse to, or records are gone and that is an error.
    """
    if wanted.lost:
        yield _lost(wanted)
    if wanted.start >= wanted.end:
        return
    from confluent_kafka import Consumer, TopicPartition  # noqa: PLC0415 - an extra

    ahead = min(_MOST_AHEAD, wanted.end - wanted.start)  # else what lies behind the range would be fetched with it
    consumer = Consumer({"group.id": "kaicep", "queued.min.messages": ahead, **options, **_DONE_BY_US})
    try:
        while wanted.start < wanted.end:
            consumer.assign([TopicPartition(wanted.topic, wanted.partition, wanted.start)])
            try:
                for messages in _consumed(consumer, wanted, patience_s):
                    yield _columns(messages, wanted, columns)
            except _GoneError as gone:
                if strict:
                    raise ValueError(f"offsets {gone.position} to {wanted.end - 1} of {wanted.name} are gone") from gone
                wanted = _left(consumer, replace(wanted, start=gone.position), patience_s)
                yield _lost(wanted)
            else:
                break
    finally:
        consumer.close()


def _left(consumer: Consumer, wanted: OffsetRange, patience_s: float) -> OffsetRange:
    """What is there of a range whose first record is gone."""
    from confluent_kafka import KafkaException, TopicPartition  # noqa: PLC0415 - an extra

    try:
        place = TopicPartition(wanted.topic, wanted.partition)
        found = consumer.get_watermark_offsets(place, timeout=patience_s)
    except KafkaException as error:
        raise unanswered(f"{wanted.name}: {error.args[0].str()}") from error
    low, high = (0, 0) if found is None else found
    first = low if high > wanted.start else wanted.end  # a topic that was begun anew has nothing of it
    if found is None or first <= wanted.start:
        raise unanswered(f"{wanted.name}: its first offset")
    return still_there(wanted, first)


def _consumed(consumer: Consumer, wanted: OffsetRange, patience_s: float) -> Iterator[list[Message]]:
    """The messages of a range, in order, some at a time."""
    heard, trouble = time.monotonic(), "no records"
    position = wanted.start
    while position < wanted.end:
        good: list[Message] = []
        for message in consumer.consume(_AT_ONCE, _POLL_S):
            error = message.error()
            offset = message.offset()
            if error is None and offset is not None:
                good.append(message)
                position = offset + 1
            elif error is not None and error.name() == "_PARTITION_EOF":
                position = max(position, offset or 0)
            elif error is not None and error.name() in ("_AUTO_OFFSET_RESET", "OFFSET_OUT_OF_RANGE"):
                raise _GoneError(position)
            elif error is not None and (error.fatal() or error.name() in _REFUSALS):
                raise ValueError(f"Kafka refuses to read {wanted.name}: {error.str()}")
            elif error is not None:
                trouble = error.str()
        if good:
            heard = time.monotonic()
            within = good if position <= wanted.end else [m for m in good if (m.offset() or 0) < wanted.end]
            if within:
                yield within
        elif position < wanted.end and time.monotonic() - heard > patience_s:
            raise unanswered(f"{wanted.name}: {trouble}")


_REFUSALS = (
    "TOPIC_AUTHORIZATION_FAILED",
    "GROUP_AUTHORIZATION_FAILED",
    "_AUTHENTICATION",
    "SASL_AUTHENTICATION_FAILED",
)


def _columns(messages: list[Message], wanted: OffsetRange, columns: frozenset[str]) -> pa.RecordBatch:
    rows = len(messages)
    own = {
        "topic": pa.repeat(pa.scalar(wanted.topic), rows),
        "partition": pa.repeat(pa.scalar(wanted.partition, pa.int32()), rows),
        "offset": pa.array([message.offset() for message in messages], pa.int64()),
        "value": pa.array([message.value() for message in messages], pa.binary()),
    }
    if "timestamp" in columns:
        times = pa.array([message.timestamp()[1] for message in messages], pa.timestamp("ms", "UTC"))
        own["timestamp"] = times.cast(pa.timestamp("us", "UTC"))
    if "key" in columns:
        own["key"] = pa.array([_bytes(message.key()) for message in messages], pa.binary())
    if "headers" in columns:
        found = [_headers(message) for message in messages]
        own["headers"] = pa.array(found, KAFKA_SCHEMA.field("headers").type)
    return pa.record_batch(
        [own.get(field.name, pa.nulls(rows, field.type)) for field in KAFKA_SCHEMA], schema=KAFKA_SCHEMA
    )


def _headers(message: Message) -> list[dict[str, object]] | None:
    headers: Any = message.headers()
    if headers is None:
        return None
    return [{"key": name, "value": _bytes(value)} for name, value in headers]


def _bytes(text: str | bytes | None) -> bytes | None:
    return text.encode() if isinstance(text, str) else text


def _lost(wanted: OffsetRange) -> pa.RecordBatch:
    """A row that tells what is lost before a range."""
    row = {"topic": wanted.topic, "partition": wanted.partition, "offset": max(0, wanted.start - 1)}
    return pa.RecordBatch.from_pylist([{**row, "lost": wanted.lost}], schema=KAFKA_SCHEMA)
