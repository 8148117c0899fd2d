"""Which partitions the topics of a stream have, and from where to where their records go: asked of the brokers."""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .kafka_client import is_lasting
from .offset_ranges import OffsetRange, Offsets

if TYPE_CHECKING:
    from confluent_kafka import Consumer
    from confluent_kafka.admin import AdminClient

__all__ = ["TopicOffsets", "unanswered"]

_UNKNOWN = ("UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION")
_BEHIND = -1


def unanswered(reason: str) -> OSError:
    """The error of brokers that are away; `is_transient` knows it, also by its words."""
    return TimeoutError(errno.ETIMEDOUT, f"the brokers of Kafka do not answer: Connection timed out ({reason})")


class TopicOffsets:
    """Asks about the topics of one stream.

    Args:
        options: of the client, see `client_options`.
        topics: by name; none: those of the pattern.
        pattern: a regular expression that names match as a whole.
        timeout_s: how long an answer may take.

    Raises:
        OSError: of each question: the brokers do not answer.
        ValueError: they refuse to.
    """

    def __init__(
        self, options: Mapping[str, Any], topics: Sequence[str], pattern: str | None, timeout_s: float
    ) -> None:
        self._options, self._timeout_s = options, timeout_s
        self._topics, self._pattern = topics, None if pattern is None else re.compile(pattern)
        self._consumer: Consumer | None = None
        self._admin: AdminClient | None = None

    def partitions(self) -> dict[str, list[int]]:
        """The numbers of the partitions by topic; a topic that is not there is left out."""
        if self._pattern is not None:
            known = self._metadata(None)
            wanted = [name for name in known if self._pattern.fullmatch(name)]
            return {name: sorted(known[name].partitions) for name in sorted(wanted)}
        found = {}
        for name in self._topics:
            topic = self._metadata(name)[name]
            if topic.error is not None and topic.error.name() not in _UNKNOWN:
                raise self._failed(topic.error)
            if topic.error is None and topic.partitions:
                found[name] = sorted(topic.partitions)
        return found

    def earliest(self) -> Offsets:
        """The first offsets that there are."""
        return self._listed("earliest")

    def latest(self) -> Offsets:
        """The offsets behind the last records that may be read: those of transactions that are done."""
        return self._listed("latest")

    def at(self, moment: datetime) -> Offsets:
        """The first offsets of records that are not older than a moment; where there are none, the latest."""
        behind = self.latest()
        found = self._listed("timestamp", int(moment.timestamp() * 1000))
        return {
            topic: {p: behind[topic][p] if offset == _BEHIND else offset for p, offset in partitions.items()}
            for topic, partitions in found.items()
        }

    def earliest_of(self, ranges: Sequence[OffsetRange]) -> dict[str, int]:
        """The first offsets that the partitions of some ranges still have, by their names."""
        topics: dict[str, list[int]] = {}
        for one in ranges:
            topics.setdefault(one.topic, []).append(one.partition)
        found = self._listed("earliest", partitions=topics)
        return {f"{topic}/{p}": offset for topic, of in found.items() for p, offset in of.items()}

    def close(self) -> None:
        """Give the connections back."""
        if self._consumer is not None:
            self._consumer.close()
        self._consumer = self._admin = None

    def _failed(self, error: Any) -> Exception:
        """What an error is; the next question is asked by new clients, which do not wait to connect again."""
        self.close()
        if is_lasting(error) and error.name() not in _UNKNOWN:
            return ValueError(f"Kafka refuses: {error.str()}")
        return unanswered(error.str())

    def _metadata(self, topic: str | None) -> Mapping[str, Any]:
        from confluent_kafka import Consumer, KafkaException  # noqa: PLC0415 - an extra

        try:
            if self._consumer is None:
                quiet = {"group.id": "kaicep", "allow.auto.create.topics": False}
                self._consumer = Consumer({**quiet, **self._options})
            asked = () if topic is None else (topic,)
            found: Any = self._consumer.list_topics(*asked, timeout=self._timeout_s)  # type: ignore[misc]  # its stub takes no topic by place
        except KafkaException as error:
            raise self._failed(error.args[0]) from None
        topics: Mapping[str, Any] = found.topics
        return topics

    def _listed(self, which: str, at_ms: int = 0, partitions: Mapping[str, Sequence[int]] | None = None) -> Offsets:
        from confluent_kafka import (  # noqa: PLC0415 - an extra
            IsolationLevel,
            KafkaException,
            TopicPartition,
            admin,
        )

        of: Any = admin.OffsetSpec  # type: ignore[attr-defined]  # its stub forgets to export it
        spec = {"earliest": of.earliest, "latest": of.latest}.get(which, lambda: of.for_timestamp(at_ms))()
        wanted = self.partitions() if partitions is None else partitions
        asked = {TopicPartition(topic, number): spec for topic, of in wanted.items() for number in of}
        if not asked:
            return {}
        committed = self._options.get("isolation.level", "read_committed") == "read_committed"
        level = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
        found: dict[str, dict[str, int]] = {topic: {} for topic in wanted}
        try:
            if self._admin is None:
                self._admin = admin.AdminClient(_of_admin(self._options))
            answers = self._admin.list_offsets(asked, isolation_level=level, request_timeout=self._timeout_s)
            for place, answer in answers.items():
                found[place.topic][str(place.partition)] = answer.result(2 * self._timeout_s).offset
        except KafkaException as error:
            raise self._failed(error.args[0]) from None
        except TimeoutError:
            self.close()
            raise unanswered("no offsets") from None
        return {topic: of for topic, of in found.items() if of}


def _of_admin(options: Mapping[str, Any]) -> dict[str, Any]:
    """Without what only consumers know."""
    ours = ("group.id", "isolation.level", "fetch.", "queued.", "session.", "partition.", "max.poll.")
    return {name: value for name, value in options.items() if not name.startswith(ours)}
