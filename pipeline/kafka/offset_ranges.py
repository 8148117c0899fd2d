"""Offsets of topics as values: how far a batch goes, and which ranges of which partitions are in it.

They are written as Spark's own connector does, `{"topic": {"0": 23}}`, each the next one that is to be read: a
checkpoint of the one can be read on by the other.

Source: Spark, Structured Streaming + Kafka Integration Guide (maxOffsetsPerTrigger: split by the volume of partitions).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["OffsetRange", "Offsets", "count", "limited", "ranges", "still_there"]

Offsets = Mapping[str, Mapping[str, int]]
"""By topic, and partition as text: the next offset."""


@dataclass(frozen=True, slots=True)
class OffsetRange:
    """Records of one partition, and what is told of those before them.

    Attributes:
        topic: of the partition.
        partition: its number.
        start: the first offset.
        end: the one behind the last.
        lost: what is missing before the first; empty: nothing is.
    """

    topic: str
    partition: int
    start: int
    end: int
    lost: str = ""

    @property
    def name(self) -> str:
        """How it is called in messages."""
        return f"{self.topic}/{self.partition}"


def count(start: Offsets, end: Offsets) -> int:
    """How many offsets lie between two; a partition that starts nowhere starts at 0."""
    return sum(max(0, upto - _at(start, topic, partition)) for topic, partition, upto in _each(end))


def limited(start: Offsets, end: Offsets, most: int) -> Offsets:
    """The way from one to another, at most so many offsets of it: of each partition its share, and at least one."""
    whole = count(start, end)
    if whole <= most:
        return end
    found: dict[str, dict[str, int]] = {topic: dict(partitions) for topic, partitions in end.items()}
    left = most
    for topic, partition, upto in _each(end):
        first = _at(start, topic, partition)
        share = max(1, int(Fraction(most * (upto - first), whole))) if upto > first else 0
        taken = min(share, left)
        left -= taken
        found[topic][partition] = min(first + taken, upto) if upto > first else upto
    return found


def ranges(
    start: Offsets, end: Offsets, earliest: Callable[[list[OffsetRange]], Mapping[str, int]]
) -> list[OffsetRange]:
    """What lies between two, by topic and partition; what is gone before it was read is told of.

    Args:
        start: where the batch begins.
        end: where it ends.
        earliest: gives the first offset that partitions still have, by their names.
    """
    wanted = [
        OffsetRange(topic, int(partition), _at(start, topic, partition), upto)
        for topic, partition, upto in _each(end)
        if upto != _at(start, topic, partition)
    ]
    there = earliest(wanted) if wanted else {}
    return [still_there(range_, there.get(range_.name, 0)) for range_ in wanted]


def still_there(wanted: OffsetRange, first: int) -> OffsetRange:
    """What of a range is there; it says what is not.

    Args:
        wanted: the range.
        first: the first offset that the partition still has.
    """
    if wanted.end < wanted.start:
        lost = f"{wanted.name} was begun anew: it ends with offset {wanted.end - 1}, and {wanted.start} was read next"
        return OffsetRange(wanted.topic, wanted.partition, min(first, wanted.end), wanted.end, lost)
    if first > wanted.start:
        last = min(first, wanted.end) - 1
        lost = f"offsets {wanted.start} to {last} of {wanted.name} were deleted before they were read"
        return OffsetRange(wanted.topic, wanted.partition, last + 1, wanted.end, lost)
    return wanted


def _at(offsets: Offsets, topic: str, partition: str) -> int:
    return offsets.get(topic, {}).get(partition, 0)


def _each(offsets: Offsets) -> list[tuple[str, str, int]]:
    """Topics and partitions in their order, with their offsets."""
    return [
        (topic, partition, offset)
        for topic in sorted(offsets)
        for partition, offset in sorted(offsets[topic].items(), key=lambda entry: int(entry[0]))
    ]
