"""`source = { mqtt = { … } }`: the topics that a stream comes from, and what its attributes get of them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator

from ..quantities import Duration, parse_size
from .broker_settings import BrokerSettings
from .topic_pattern import TopicPattern

__all__ = ["MqttSourceSettings"]

_CLIENT = re.compile(r"[^\0]{1,65535}")


def _several(text: object) -> object:
    """One pattern is a list of one."""
    return (text,) if isinstance(text, str) else text


class MqttSourceSettings(BrokerSettings):
    """Where messages are, and which attributes get what stands beside their payloads.

    Attributes:
        topics: patterns; `{name}` in place of a level gives it to that attribute.
        client_id: by which the broker knows this stream's session; `None`: one that is made once, and kept.
        session: how long the broker is asked to keep what comes while nobody listens; 3.1.1 asks nothing.
        keep_alive: after so long a silence each side asks whether the other is there.
        backlog: when so many bytes wait for the engine, no more are acknowledged.
        topic_name: the attribute that gets the whole topic.
        received: the one that gets the time at which the message came.
        value: the one that gets a payload that is no object: a number, a text, a truth value.
    """

    topics: Annotated[tuple[str, ...], BeforeValidator(_several)] = Field(min_length=1)
    client_id: str | None = None
    session: Duration = timedelta(days=7)
    keep_alive: Duration = timedelta(seconds=30)
    backlog: Annotated[int, BeforeValidator(parse_size)] = 10**9
    topic_name: str | None = None
    received: str | None = None
    value: str | None = None

    @field_validator("topics")
    @classmethod
    def _are_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            TopicPattern.parse(pattern)
        return patterns

    @field_validator("client_id")
    @classmethod
    def _is_client(cls, name: str | None) -> str | None:
        if name is not None and _CLIENT.fullmatch(name) is None:
            message = "a client id has 1 to 65,535 characters"
            raise ValueError(message)
        return name

    @property
    def patterns(self) -> tuple[TopicPattern, ...]:
        """The topics, read."""
        return tuple(map(TopicPattern.parse, self.topics))

    @property
    def filled(self) -> dict[str, str]:
        """The attributes that are no part of the payloads, by what they are filled from."""
        named = {name: getattr(self, name) for name in ("topic_name", "received", "value")}
        own = {f"source.mqtt.{name}": attribute for name, attribute in named.items() if attribute is not None}
        levels = {name: text for text in self.topics for name in TopicPattern.parse(text).names if name is not None}
        return own | {f"source.mqtt.topics: '{text}'": name for name, text in levels.items()}
