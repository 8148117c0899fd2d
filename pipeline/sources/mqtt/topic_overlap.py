"""Topics of one stream that overlap: a broker of MQTT 5 may send a message once for each, and one of these is taken.

A copy comes right behind the message that it is one of, with the identifier of another subscription. Nothing is dropped
because of a copy that is to come: Mosquitto, restarted, may know one only of the subscriptions that a message fits.

Source: MQTT 5.0, §3.3.4 (overlapping subscriptions), §3.8.2.1.2 (Subscription Identifier).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ....settings.mqtt import TopicPattern

__all__ = ["TopicOverlap"]


class TopicOverlap:
    """Which messages over one connection after another are copies.

    Args:
        filters: of the stream, as the broker is asked for them, in order.
    """

    def __init__(self, filters: Sequence[str]) -> None:
        self._identifiers = {one: number for number, one in enumerate(filters, start=1)}
        self._patterns = {one: TopicPattern.parse(one) for one in filters}
        self._refused: set[str] = set()
        self._last: tuple[str, bytes] | None = None
        self._copies: set[int] = set()

    def identifier(self, wanted: str) -> int | None:
        """What a broker is to say with the messages of a filter; `None`: it need not say anything."""
        return self._identifiers[wanted] if len(self._identifiers) > 1 else None

    def begin(self) -> None:
        """Note that a connection begins, and that filters are asked for anew."""
        self._refused.clear()
        self._last = None

    def refuse(self, wanted: str) -> None:
        """Note that a broker sends nothing for a filter."""
        self._refused.add(wanted)

    def is_copy(self, topic: str, payload: bytes, identifiers: Collection[int], *, retained: bool) -> bool:
        """Whether a message has come already.

        Args:
            topic: of the message.
            payload: of the message.
            identifiers: that it came with; a broker may send one message for several filters.
            retained: whether it is sent because topics were asked for: all that is retained, filter by filter.
        """
        if retained:
            return bool(identifiers) and self._first(topic) not in identifiers
        if self._last == (topic, payload) and identifiers and self._copies.isdisjoint(identifiers):
            self._copies.update(identifiers)
            return True
        self._last, self._copies = (topic, payload), set(identifiers)
        return False

    def _first(self, topic: str) -> int | None:
        """The identifier of the first filter that a topic fits."""
        granted = (one for one in self._patterns if one not in self._refused)
        found = (self._identifiers[one] for one in granted if self._patterns[one].values(topic) is not None)
        return next(found, None)
