"""Matches as records of a topic of Kafka: at least once; of a batch that comes again, those that are not there yet.

What a topic has got nobody can take back. So the place behind the last batch that is done is remembered, and what
stands behind it is looked through before rows come again: they are known by their `_id`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import pyarrow as pa

from ...errors import ConfigError, PipelineError
from ...settings import found_secret
from ..kafka import (
    AcknowledgedProducer,
    KafkaRecord,
    KafkaRefusalError,
    TopicTail,
    client_options,
    kafka_library,
)
from .row_values import JsonLines, slices
from .sink import PieceSink, RowWriter

__all__ = ["KafkaSink", "kafka_sink"]

_QUERY, _ID = "query", "_id"
_OURS = "KafkaSink"

_Answer = TypeVar("_Answer")


class KafkaSink(PieceSink):
    """Writes each match as a JSON object, acknowledged by all replicas that are in sync.

    The key is the row's `_id`, so that a topic that is compacted keeps each row once; the headers `_id` and `query` say
    which row it is. Rows that a crash lets come again are not written a second time, unless they were lost from the
    topic meanwhile. Those of the end of the streams (`finish`) stay, though they are taken back elsewhere.

    Args:
        servers: `host:port`, or several with commas between them.
        topic: where the rows go.
        key: the item that is the records' key.
        options: of librdkafka; values may be `env:NAME` or `file:PATH`.
        timeout: how long the brokers may take for some thousand rows.

    Raises:
        ConfigError: confluent-kafka is not installed, an option is none, or a secret is not there.
    """

    def __init__(
        self,
        servers: str,
        topic: str,
        *,
        key: str = _ID,
        options: Mapping[str, str] | None = None,
        timeout: timedelta = timedelta(seconds=30),
    ) -> None:
        library = kafka_library(_OURS, "")
        client = client_options(servers, options or {}, lambda name, text: found_secret(name, text, Path(), _OURS))
        self._topic, self._key = topic, key
        self._producer = AcknowledgedProducer(library, client, timeout.total_seconds())
        self._tail = TopicTail(client, topic, timeout.total_seconds())
        self._there: set[tuple[str, ...]] = set()
        try:
            self._producer.check()
        except KafkaRefusalError as error:
            raise ConfigError(f"{_OURS}: {error.reason}", hint="write options as librdkafka names them") from error

    def begin(self, batch_id: int, query_name: str) -> RowWriter:
        """Write the matches as they come."""
        del batch_id
        return _Records(self, query_name)

    def put(self, query: str, rows: pa.Table, lines: list[bytes]) -> None:
        """Write rows that are not there yet; when this returns, they are.

        Raises:
            PipelineError: the brokers do not take them; nothing is lost, since the batch comes again.
        """
        ids, keys = rows[_ID].to_pylist(), rows[self._key].to_pylist()
        records = []
        for own, key, line in zip(ids, keys, lines, strict=True):
            if (query, own) in self._there:
                self._there.discard((query, own))
            else:
                text = None if key is None else str(key)
                records.append(KafkaRecord(self._topic, line, text, {_ID: own, _QUERY: query}))
        try:
            self._producer.send(records)
        except KafkaRefusalError as error:
            raise _untaken(self._topic, error.reason) from (error if error.lasting else _away())

    def snapshot(self) -> dict[str, Any]:
        """Where the topic ends."""
        return {"topic": self._topic, "ends": self._asked(self._tail.ends)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Look through what was written after a snapshot: what is there need not be written when it comes again."""
        if state.get("topic") == self._topic:
            self._there = self._asked(lambda: self._tail.since(state["ends"], (_QUERY, _ID)))

    def close(self) -> None:
        """Give the connections back."""
        self._producer.close()
        self._tail.close()

    def _asked(self, ask: Callable[[], _Answer]) -> _Answer:
        try:
            return ask()
        except (OSError, ValueError) as error:
            raise _untaken(self._topic, str(error)) from error


class _Records:
    """Writes the rows of one query."""

    def __init__(self, sink: KafkaSink, query: str) -> None:
        self._sink, self._query = sink, query
        self._lines: list[bytes] = []
        self._texts = JsonLines(self._lines.append, query)

    def write(self, matches: pa.Table) -> None:
        """See `RowWriter.write`."""
        for piece in slices(matches):
            self._texts.write(piece)
            lines = b"".join(self._lines).split(b"\n")[:-1]
            self._lines.clear()
            self._sink.put(self._query, piece, lines)

    def close(self) -> None:
        """Nothing is held back."""


def kafka_sink(place: str) -> KafkaSink:
    """The sink of a place as the command line has it: `broker:9092/topic?security.protocol=SSL`.

    Raises:
        ConfigError: it is no such place, or as `KafkaSink` says.
    """
    servers, _, path = place.partition("/")
    topic, _, options = path.partition("?")
    if not servers or not topic:
        raise ConfigError(f"'{place}' names no topic of Kafka", hint="write servers and topic: broker:9092/rows")
    return KafkaSink(servers, topic, options=dict(parse_qsl(options)))


def _untaken(topic: str, reason: str) -> PipelineError:
    hint = "see to the brokers, the topic and its rights; the batch comes again"
    return PipelineError(f"cannot write matches to the topic {topic}: {reason}", hint=hint)


def _away() -> OSError:
    """Why what passes has failed: an engine that reads on waits for the brokers."""
    return TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
