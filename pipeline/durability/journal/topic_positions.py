"""The topics of a journal: up to where each batch has read them (docs/decisions/311)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ...kafka import Offsets

__all__ = ["TopicPositions"]

_KEPT = 2
"""Of the last batch, which may be given back, and of the one before."""


class TopicPositions:
    """What is known of them in memory, by batch and stream."""

    def __init__(self) -> None:
        self._known: dict[int, dict[str, Offsets]] = {}

    def differ(self, offsets: Mapping[str, Offsets]) -> bool:
        """Whether offsets are others than those that are known."""
        known = self.read
        return any(known.get(stream) != of for stream, of in offsets.items())

    def note(self, batch: int, offsets: Mapping[str, Offsets]) -> None:
        """Note up to where a batch reads; what it says nothing of stays as it was."""
        if not offsets:
            return
        self._known[batch] = {**self.read, **offsets}
        for earlier in sorted(self._known)[:-_KEPT]:
            del self._known[earlier]

    def of(self, batch: int) -> Mapping[str, Offsets]:
        """By stream, up to where a batch has read."""
        return self._known.get(batch, {})

    @property
    def read(self) -> Mapping[str, Offsets]:
        """By stream, up to where the last batch has read."""
        return self._known[max(self._known)] if self._known else {}

    @property
    def batches(self) -> set[int]:
        """The batches of which it is known."""
        return set(self._known)

    def give_back(self, batch: int, streams: Collection[str]) -> None:
        """Go back to where streams were before a batch; where nothing was read before, to nowhere."""
        if batch not in self._known:
            return
        before = self._known.get(max((each for each in self._known if each < batch), default=-1), {})
        kept = {stream: of for stream, of in self._known[batch].items() if stream not in streams}
        self._known[batch] = kept | {stream: of for stream, of in before.items() if stream in streams}
