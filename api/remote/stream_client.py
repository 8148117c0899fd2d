"""A server's streams, contexts and alarms, as calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .remote_connection import Connection, named
from .remote_streams import RemoteAlarm, RemoteContextSet, RemoteSchema, RemoteStream

__all__ = ["StreamClient"]


class StreamClient:
    """The calls about what comes, and what holds; a `Client` has them."""

    _connection: Connection

    def streams(self) -> tuple[RemoteStream, ...]:
        """The streams, and how each fares."""
        return self._connection.value(tuple[RemoteStream, ...], "/streams")

    def stream(self, name: str) -> RemoteSchema:
        """What the events of one are, and how the newest go with the model."""
        return self._connection.value(RemoteSchema, f"/streams/{named(name)}")

    def events(self, stream: str, *, last: int = 20) -> tuple[Mapping[str, Any], ...]:
        """The newest events of a stream, the oldest of them first: `_id`, `_time`, attributes; times are ISO 8601."""
        return self._connection.value(tuple[Mapping[str, Any], ...], f"/streams/{named(stream)}/events", last=last)

    def contexts(self, *, last: str = "24h") -> tuple[RemoteContextSet, ...]:
        """The sets of contexts, and when each context held.

        Args:
            last: how far back from the newest event of the archive.
        """
        return self._connection.value(tuple[RemoteContextSet, ...], "/contexts", last=last)

    def alarms(self, *, limit: int = 100) -> tuple[RemoteAlarm, ...]:
        """The alarms: those that nobody has seen first, then those that somebody has, then those that are over."""
        return self._connection.value(tuple[RemoteAlarm, ...], "/alarms", limit=limit)

    def acknowledge(self, alarm: str, who: str | None = None) -> Mapping[str, Any]:
        """Say that an alarm was seen; durable when this returns, and known with one of the engine's next batches.

        Args:
            alarm: its `id`.
            who: has seen it; where the server demands tokens it is the token's name instead.

        Returns:
            The event that was posted for it.

        Raises:
            KaicepError: there is no such alarm, it is not raised any more, or no event acknowledges it.
        """
        found: Mapping[str, Any] = self._connection.json("POST", f"/alarms/{named(alarm)}/acknowledge", {"who": who})
        return found
