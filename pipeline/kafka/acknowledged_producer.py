"""Records are given to Kafka in order, and count when all its replicas have them.

Source: KIP-98 (idempotent producers): what a client sends again by itself is stored once, and in order.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .kafka_client import is_lasting

if TYPE_CHECKING:
    from confluent_kafka import KafkaError, Message, Producer

__all__ = ["AcknowledgedProducer", "KafkaRecord", "KafkaRefusalError"]

_POLL_S = 0.05
_AWAY = ("_MSG_TIMED_OUT", "_TRANSPORT", "_ALL_BROKERS_DOWN", "_RESOLVE")
_TOPIC_SHARE = 0.5
"""Of the time that there is: so long a topic that nobody knows may take to be made."""


class KafkaRecord(NamedTuple):
    """A record to be written.

    Attributes:
        topic: its topic.
        value: what it says.
        key: chooses its partition; `None`: any.
        headers: beside it.
    """

    topic: str
    value: bytes
    key: str | None
    headers: Mapping[str, str]


class KafkaRefusalError(Exception):
    """Records that Kafka has not acknowledged.

    Args:
        reason: for people.
        delivered: so many of them it has, the first ones; it may have others as well.
        lasting: whether the first of the others can never be delivered as it is.
    """

    def __init__(self, reason: str, *, delivered: int = 0, lasting: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.delivered, self.lasting = reason, delivered, lasting


class AcknowledgedProducer:
    """A producer, which begins with the first records, and anew after any that were not acknowledged.

    Args:
        library: confluent-kafka.
        options: see `client_options`.
        timeout_s: how long the brokers may take for what they are given at once.
    """

    def __init__(self, library: Any, options: Mapping[str, Any], timeout_s: float) -> None:
        self._library, self._timeout_s = library, timeout_s
        limits = {
            "message.timeout.ms": max(1, int(timeout_s * 1000)),
            "topic.metadata.propagation.max.ms": max(1, int(timeout_s * 1000 * _TOPIC_SHARE)),
        }
        self._options = {"linger.ms": 5, **limits, **options, "acks": "all", "enable.idempotence": True}
        self._producer: Producer | None = None
        self._faults: list[KafkaError] = []

    def check(self) -> None:
        """See whether the options are such.

        Raises:
            KafkaRefusalError: one is not.
        """
        self._opened()
        self.close()

    def send(self, records: Sequence[KafkaRecord]) -> None:
        """Write records; when this returns, all replicas of their partitions that are in sync have them.

        Raises:
            KafkaRefusalError: they have not all of them.
        """
        until = time.monotonic() + self._timeout_s
        producer = self._opened()
        outcomes: dict[int, KafkaError | None] = {}

        def note(number: int, error: KafkaError | None, _message: Message) -> None:
            outcomes[number] = error

        for number, record in enumerate(records):
            fault = self._produced(producer, record, partial(note, number), until)
            if fault is not None:
                outcomes[number] = fault
                break
        while producer.poll(_POLL_S) or len(producer):
            if time.monotonic() > until or self._refusal() is not None:
                break
        failed = (n for n in range(len(records)) if n not in outcomes or outcomes[n] is not None)
        first = next(failed, None)
        if first is not None:
            refusal = self._refused(outcomes.get(first), first)
            self.close()
            raise refusal

    def close(self) -> None:
        """Give up what was not delivered, and the connections."""
        if self._producer is not None:
            self._producer.purge()
            self._producer.poll(0)
        self._producer = None

    def _opened(self) -> Producer:
        if self._producer is not None:
            return self._producer
        self._faults = []
        try:
            producer: Producer = self._library.Producer({**self._options, "error_cb": self._faults.append})
        except self._library.KafkaException as error:
            raise KafkaRefusalError(f"the client cannot be begun: {error.args[0].str()}") from None
        self._producer = producer
        return producer

    def _produced(self, producer: Producer, record: KafkaRecord, note: Any, until: float) -> KafkaError | None:
        """Hand a record to the client; what it says if it does not take it."""
        headers: list[tuple[str, str | bytes | None]] = [(name, text) for name, text in record.headers.items()]
        while True:
            try:
                producer.produce(record.topic, record.value, record.key, on_delivery=note, headers=headers)
                producer.poll(0)
            except BufferError:  # so much is under way that it has no room
                if time.monotonic() > until:
                    full: KafkaError = self._library.KafkaError(self._library.KafkaError._QUEUE_FULL)  # noqa: SLF001 - so called
                    return full
                producer.poll(_POLL_S)
            except self._library.KafkaException as error:
                found: KafkaError = error.args[0]
                return found
            else:
                return None

    def _refusal(self) -> KafkaError | None:
        """What ends all hope that the brokers take anything."""
        return next((fault for fault in self._faults if is_lasting(fault) or fault.fatal()), None)

    def _refused(self, outcome: KafkaError | None, delivered: int) -> KafkaRefusalError:
        fault = self._refusal() or outcome
        if fault is None or fault.name() in _AWAY:
            reason = "the brokers cannot be reached" if self._faults else "the brokers do not acknowledge in time"
            return KafkaRefusalError(reason, delivered=delivered)
        return KafkaRefusalError(f"Kafka refuses: {fault.str()}", delivered=delivered, lasting=is_lasting(fault))
