"""Where recorded events are sent: what takes some of them in order, and has them when that returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

from ...config import Settings

__all__ = ["ReplayTarget", "TargetSpec"]


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """What a target is made of.

    Attributes:
        url: of `--to`.
        settings: of the project; without one those of none.
        stream: the stream that the events are of; `None`: nobody says.
        key: the attribute that is the key of records in Kafka.
        token: for a server that demands one, or `env:NAME`, `file:PATH`.
    """

    url: str
    settings: Settings = field(default_factory=Settings)
    stream: str | None = None
    key: str | None = None
    token: str | None = None


class ReplayTarget(Protocol):
    """Takes events.

    Attributes:
        patience: how long the receiver may be away while something is sent.
        texts: attributes that stand beside the message, which are texts there.
    """

    patience: timedelta
    texts: frozenset[str]

    def send(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Send events, in order; when this returns, the receiver has acknowledged them.

        Raises:
            PipelineError: it is away, or does not take them.
        """

    def close(self) -> None:
        """Give connections back."""
