"""`source = { kafka = { … } }`: the topics that a stream comes from, and where reading begins."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from .kafka_options import KafkaOptions, KafkaServers
from .quantities import Duration
from .strict_table import Table

__all__ = ["KafkaSourceSettings"]

_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_STARTS = ("earliest", "latest")


def _several(text: object) -> object:
    """One name is a list of one."""
    return (text,) if isinstance(text, str) else text


def _start(text: object) -> object:
    """`earliest`, `latest`, or a time stamp with its zone; anything else is refused."""
    if text in _STARTS:
        return text
    try:
        moment = text if isinstance(text, datetime) else datetime.fromisoformat(str(text))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        message = f"'{text}' is no place to start; write earliest, latest, or a time such as \"2026-01-01T00:00:00Z\""
        raise ValueError(message)
    return moment.isoformat()


class KafkaSourceSettings(Table):
    """Where records are, and which attributes get what stands beside their values.

    How much is read at once has the names of Spark's own options.

    Attributes:
        servers: `host:port`, or several with commas between them.
        topics: by name.
        pattern: a regular expression that names of topics match as a whole; `None`: they are named.
        starting: where a stream begins that has read nothing yet: `earliest`, `latest`, or a time.
        most: so many offsets a batch has at most (`maxOffsetsPerTrigger`); `None`: all that there are.
        least: so many are waited for (`minOffsetsPerTrigger`).
        delay: for so long (`maxTriggerDelay`).
        strict: whether records that were deleted before they were read end the stream (`failOnDataLoss`); `None`: only
            where nothing else would tell of them, by Spark's own connector.
        options: of librdkafka, such as `security.protocol`.
        key: the attribute that gets a record's key, as text.
        topic_name: the one that gets the name of its topic.
        partition: the one that gets the number of its partition.
        offset: the one that gets its offset.
        timestamp: the one that gets its time stamp at the broker.
        headers: by attribute, the header whose value it gets, as text; the last one of that name.
    """

    servers: KafkaServers
    topics: Annotated[tuple[str, ...], BeforeValidator(_several)] = ()
    pattern: str | None = None
    starting: Annotated[str, BeforeValidator(_start)] = "earliest"
    most: int | None = Field(default=None, ge=1, alias="maxOffsetsPerTrigger")
    least: int = Field(default=0, ge=0, alias="minOffsetsPerTrigger")
    delay: Duration = Field(default=timedelta(minutes=15), alias="maxTriggerDelay")
    strict: bool | None = Field(default=None, alias="failOnDataLoss")
    options: KafkaOptions = Field(default_factory=dict)
    key: str | None = None
    topic_name: str | None = None
    partition: str | None = None
    offset: str | None = None
    timestamp: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)

    @field_validator("topics")
    @classmethod
    def _are_topics(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        wrong = next((name for name in names if _TOPIC.fullmatch(name) is None), None)
        if wrong is not None:
            message = f"no topic is called '{wrong}'; write letters, digits, ., _ and -, or pattern = \"…\""
            raise ValueError(message)
        return names

    @field_validator("pattern")
    @classmethod
    def _is_pattern(cls, text: str | None) -> str | None:
        try:
            re.compile(text or "")
        except re.error as error:
            message = f"'{text}' is no regular expression: {error}"
            raise ValueError(message) from None
        return text

    @model_validator(mode="after")
    def _has_topics(self) -> Self:
        if bool(self.topics) == (self.pattern is not None):
            message = 'write either topics = ["…"] or pattern = "…"'
            raise ValueError(message)
        return self

    @property
    def filled(self) -> dict[str, str]:
        """The attributes that are no part of the records' values, by what they are filled from."""
        named = {name: getattr(self, name) for name in ("key", "topic_name", "partition", "offset", "timestamp")}
        own = {f"source.kafka.{name}": attribute for name, attribute in named.items() if attribute is not None}
        return own | {f"source.kafka.headers.{name}": name for name in self.headers}
