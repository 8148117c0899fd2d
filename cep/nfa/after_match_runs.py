"""AFTER MATCH for matches with runs, one by one in output order (docs/semantics.md 3.12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from ...language.nodes import AfterMatchKind, Query
from .event_layout import NUMBER
from .shared_buffer import Node, Path, without

__all__ = ["Left", "Standing"]


@dataclass(frozen=True, slots=True)
class Left:
    """What the matches that stand leave of what is growing or waiting.

    Attributes:
        bars: see `Standing`, and so is `consumed`.
        consumed: see there.
    """

    bars: Mapping[tuple[object, ...], int]
    consumed: AbstractSet[int]
    _known: dict[int, tuple[Any, Node]] = field(default_factory=dict)

    def allows(self, partition: tuple[object, ...], path: Path) -> bool:
        """Whether a match may hold these events."""
        begins: int = path[0][1][NUMBER]
        return begins > self.bars.get(partition, -1) and self.consumed.isdisjoint(e[NUMBER] for _, e in path)

    def of(self, partition: tuple[object, ...], first: int, node: tuple[Any, ...]) -> Node:
        """The sequences of a node that a match may still hold; `None`: none of them.

        Args:
            partition: the values of PARTITION BY.
            first: the number of their first event.
            node: the sequences; what they share is looked at once.
        """
        if first <= self.bars.get(partition, -1):
            return None
        return without(node, self.consumed, self._known) if self.consumed else node


@dataclass(slots=True)
class Standing:
    """What the matches that stand forbid to later ones.

    Attributes:
        bars: of each partition, the number of the last event that no later match may begin with.
        consumed: numbers of the events that no later match may hold.
        news: whether more is forbidden than when that was last asked.
    """

    query: Query
    bars: dict[tuple[object, ...], int] = field(default_factory=dict)
    consumed: set[int] = field(default_factory=set)
    news: bool = False

    def places(
        self, matches: Sequence[Path], partitions: Sequence[tuple[object, ...]], variables: Sequence[str]
    ) -> list[int]:
        """Which of some matches stand.

        Args:
            matches: in output order.
            partitions: the values of PARTITION BY of each.
            variables: those that the places in paths are of.
        """
        after = self.query.after_match
        skip_to = None if after.variable is None else variables.index(after.variable)
        standing = []
        for place, (path, partition) in enumerate(zip(matches, partitions, strict=True)):
            numbers = [event[NUMBER] for _, event in path]
            if after.kind is AfterMatchKind.CONSUME:
                if self.consumed.isdisjoint(numbers):
                    standing.append(place)
                    self.consumed.update(numbers)
                    self.news = True
                continue
            first: int = numbers[0]
            if first > self.bars.get(partition, -1):
                standing.append(place)
                self.bars[partition] = max(self.bars.get(partition, -1), self._bar(path, skip_to))
                self.news = True
        return standing

    def left(self) -> Left:
        """What the matches that stand leave."""
        self.news = False
        return Left(self.bars, self.consumed)

    def forget(self, before: int) -> None:
        """Forget events with numbers below the first event of every match to come."""
        self.consumed = {number for number in self.consumed if number >= before}

    def _bar(self, path: Path, skip_to: int | None) -> int:
        """The last event with which no later match begins."""
        kind = self.query.after_match.kind
        numbers: list[int] = [event[NUMBER] for _, event in path]
        run: list[int] = [event[NUMBER] for v, event in path if v == skip_to]
        match kind:
            case AfterMatchKind.PAST_LAST:
                return numbers[-1]
            case AfterMatchKind.TO_FIRST if run:
                return run[0] - 1
            case AfterMatchKind.TO_LAST if run:
                return run[-1] - 1
            case _:
                return numbers[0]
