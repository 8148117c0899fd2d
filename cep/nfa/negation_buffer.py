"""What runs look at beside the events that they take: candidates, and what may end repetitions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from ..partitions import PartitionWindows

__all__ = ["NegationBuffer", "PartitionBuffers", "StopEvents"]


class NegationBuffer:
    """Candidates of a variable that no run takes, in total order, as far as a run may look at them."""

    __slots__ = ("numbers", "rows", "times")

    def __init__(self) -> None:
        self.times: list[int] = []
        self.numbers: list[int] = []
        self.rows: list[tuple[Any, ...]] = []

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """More candidates, that come later."""
        for row in rows:
            self.times.append(row[0])
            self.numbers.append(row[1])
            self.rows.append(row)

    def between(self, earliest: int, latest: int) -> list[tuple[Any, ...]]:
        """Those that lie in an interval, both ends included."""
        return self.rows[bisect_left(self.times, earliest) : bisect_right(self.times, latest)]

    def next_after(self, number: int) -> list[tuple[Any, ...]]:
        """Those that are the very next event after one."""
        found = []
        for row in self.rows[bisect_right(self.numbers, number) :]:
            if row[2] != number:
                break
            found.append(row)
        return found

    def after(self, number: int) -> list[tuple[Any, ...]]:
        """Those that come after an event."""
        return self.rows[bisect_right(self.numbers, number) :]

    def of(self, interval: tuple[int, ...]) -> list[tuple[Any, ...]]:
        """Those of an interval, or after an event that is given by its number alone."""
        return self.between(*interval) if len(interval) > 1 else self.next_after(*interval)

    def forget(self, before: int) -> None:
        """Drop those that come before a moment."""
        count = bisect_left(self.times, before)
        del self.times[:count], self.numbers[:count], self.rows[:count]


class StopEvents:
    """The events that may end a repetition with UNTIL, in total order, as far as a run may look at them."""

    __slots__ = ("dropped", "numbers", "rows")

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.rows: list[tuple[Any, ...]] = []
        self.dropped = 0

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """More events, that come later."""
        for row in rows:
            self.numbers.append(row[1])
            self.rows.append(row)

    def count(self, number: int) -> int:
        """How many have come, from the beginning up to an event."""
        return self.dropped + bisect_right(self.numbers, number)

    def has(self, number: int) -> bool:
        """Whether the event is one."""
        place = bisect_left(self.numbers, number)
        return place < len(self.numbers) and self.numbers[place] == number

    def since(self, number: int, last: int) -> list[tuple[Any, ...]]:
        """Those after an event, up to another."""
        return self.rows[bisect_right(self.numbers, number) : bisect_right(self.numbers, last)]

    def forget(self, before: int) -> None:
        """Drop those that come before a moment."""
        count = bisect_left(self.rows, before, key=lambda row: row[0])
        self.dropped += count
        del self.numbers[:count], self.rows[:count]


@dataclass(frozen=True, slots=True, eq=False)
class PartitionBuffers:
    """What the functions of a partition's transitions look at beside registers and the event.

    Attributes:
        key: the partition's; the last part is the value in which JOINs make all events equal.
        absent: the candidates of variables under NOT.
        stops: the events that may end repetitions, by the repetition's start or by the name of the test.
        windows: of a query in contexts, what is known of the windows that partitions are.
    """

    key: tuple[object, ...]
    absent: Mapping[str, NegationBuffer]
    stops: Mapping[Any, StopEvents]
    windows: PartitionWindows | None = None

    @property
    def until(self) -> int:
        """Until when the partition's context window holds events, as far as that is known."""
        return cast("PartitionWindows", self.windows).end_of(self.window)

    @property
    def window(self) -> int:
        """The partition's context window."""
        return cast("int", self.key[0])
