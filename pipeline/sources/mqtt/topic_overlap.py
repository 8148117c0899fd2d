"""Topics of one stream that overlap: a broker of MQTT 5 may send a message once for each, and one of these is taken.

Source: MQTT 5.0, §3.3.4 (overlapping subscriptions), §3.8.2.1.2 (Subscription Identifier).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence

from ....settings.mqtt import TopicPattern

__all__ = ["TopicOverlap"]

_MOST = 268_435_455
"""The greatest subscription identifier."""


class TopicOverlap:
    """Which of a message's copies counts: that for the first filter that its topic fits.

    Args:
        filters: of the stream, as the broker is asked for them, in order.
    """

    def __init__(self, filters: Sequence[str]) -> None:
        # What was asked for together with others has another identifier: of what has waited since then, a broker has
        # no copy for the filters of now.
        self._identifiers = {one: _identifier(one, filters) for one in filters}
        self._patterns = {one: TopicPattern.parse(one) for one in filters}
        self._known = frozenset(self._identifiers.values())
        self._refused: set[str] = set()

    def identifier(self, wanted: str) -> int | None:
        """What a broker is to say with the messages of a filter; `None`: it need not say anything."""
        return self._identifiers[wanted] if len(self._identifiers) > 1 else None

    def begin(self) -> None:
        """Note that filters are asked for anew."""
        self._refused.clear()

    def refuse(self, wanted: str) -> None:
        """Note that a broker sends nothing for a filter."""
        self._refused.add(wanted)

    def is_copy(self, topic: str, identifiers: Collection[int]) -> bool:
        """Whether another message is the one that counts.

        Args:
            topic: of the message.
            identifiers: that it came with; a broker may send one message for several filters.
        """
        if not identifiers or not self._known.issuperset(identifiers):
            return False
        granted = (one for one in self._patterns if one not in self._refused)
        first = next((one for one in granted if self._patterns[one].values(topic) is not None), None)
        return first is not None and self._identifiers[first] not in identifiers


def _identifier(one: str, filters: Sequence[str]) -> int:
    digest = hashlib.sha256("\n".join([one, *filters]).encode()).digest()
    return int.from_bytes(digest[:8]) % _MOST + 1
