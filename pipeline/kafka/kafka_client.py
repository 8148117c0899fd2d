"""Clients of Kafka: what the library is given, and which of its errors last.

confluent-kafka is an extra, and loaded when a client is made.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ConfigError, Place

if TYPE_CHECKING:
    from confluent_kafka import KafkaError

__all__ = ["client_options", "is_lasting", "kafka_library"]

_LASTING = (
    "MSG_SIZE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_MSG_SIZE", "INVALID_RECORD", "POLICY_VIOLATION",
    "TOPIC_EXCEPTION", "UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION", "TOPIC_AUTHORIZATION_FAILED",
    "GROUP_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED", "_AUTHENTICATION", "SASL_AUTHENTICATION_FAILED",
    "UNSUPPORTED_SASL_MECHANISM", "_INVALID_ARG", "_NOT_CONFIGURED",
)  # fmt: skip
_LOG = logging.getLogger("kaicep.kafka")


def kafka_library(key: str, file: str) -> Any:
    """The library.

    Args:
        key: of what needs it, in the project file.
        file: the name of that.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        import confluent_kafka  # noqa: PLC0415 - an extra, which other projects need not have
    except ImportError as error:
        raise ConfigError(
            f"{key}: the library of Kafka is not installed",
            place=Place(file),
            hint="pip install 'kaicep[kafka]'",
        ) from error
    return confluent_kafka


def client_options(
    servers: str, options: Mapping[str, str], resolved: Callable[[str, str], str] = lambda _name, text: text
) -> dict[str, Any]:
    """What every client of a project's Kafka is given; it says on the log `kaicep.kafka` what it notices.

    Args:
        servers: `host:port`, or several with commas between them.
        options: of librdkafka, as the project file has them.
        resolved: gives the value that one of them names, by its name and its text.
    """
    own = {name: resolved(name, text) for name, text in options.items()}
    return {"client.id": "kaicep", **own, "bootstrap.servers": servers, "logger": _quiet()}


def is_lasting(error: KafkaError) -> bool:
    """Whether an error stays as long as nobody changes the settings, the record, or the brokers.

    Records that are too large, topics that nobody makes, users that are not let in; not brokers that are away.
    """
    return error.name() in _LASTING


def _quiet() -> logging.Logger:
    """A log that says what it is told to whoever listens, and else nothing: brokers that are away would fill it."""
    if not _LOG.handlers:
        _LOG.addHandler(logging.NullHandler())
        _LOG.propagate = False
    return _LOG
