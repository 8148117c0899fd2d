"""The events of many runs, held once: runs that go on alike share what they have in common (CORE's tECS).

A node is the end of a set of event sequences: `None` is the empty sequence; `(count, before, variable, event)` adds an
event to every sequence of `before`; `(count, one, other)` holds those of both. A node's size does not depend on how
many sequences end in it, and they are enumerated only where they are reported.

Source: Bucchi, Grez, Quintana, Riveros, Vansummeren, "CORE: a Complex Event Recognition Engine", PVLDB 15(9), 2022, §5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from ...expressions import Ints
from ..match import AfterMatchSkip, Partition
from .event_layout import NUMBER, ROW, Event

__all__ = ["Node", "Path", "Remainder", "chain", "extended", "flattened", "last_time", "paths", "united"]

Node = tuple[Any, ...] | None
Path = list[tuple[int, Event]]
"""Places of variables and their events, in order of time."""

_MOST = 2**62


def extended(node: Node, variable: int, event: Event) -> tuple[Any, ...]:
    """The sequences of a node with one event more."""
    return (1 if node is None else node[0], node, variable, event)


def united(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """The sequences of two nodes."""
    return (min(one[0] + other[0], _MOST), one, other)


def _without(node: tuple[Any, ...], numbers: AbstractSet[int], known: dict[int, tuple[Any, Node]]) -> Node:
    """The sequences of a node that hold none of some events, given by number; `None`: there are none.

    Args:
        node: the sequences.
        numbers: of the events.
        known: by id, nodes with what is left of them; what nodes share is looked at once.
    """
    stack = [node]
    while stack:
        here = stack[-1]
        parts = [part for part in (here[1:] if len(here) == 3 else here[1:2]) if part is not None]
        missing = [part for part in parts if id(part) not in known]
        if missing:
            stack += missing
            continue
        stack.pop()
        known[id(here)] = (here, _left(here, [known[id(part)][1] for part in parts], numbers))
    return known[id(node)][1]


def _left(node: tuple[Any, ...], parts: list[Node], numbers: AbstractSet[int]) -> Node:
    if len(node) == 3:
        one, other = parts
        if one is None or other is None:
            return other if one is None else one
        return node if one is node[1] and other is node[2] else united(one, other)
    if node[3][NUMBER] in numbers or parts == [None]:
        return None
    return node if not parts or parts[0] is node[1] else extended(parts[0], node[2], node[3])


@dataclass(frozen=True, slots=True)
class Remainder:
    """What AFTER MATCH leaves of what is growing or waiting."""

    skip: AfterMatchSkip
    _known: dict[int, tuple[Any, Node]] = field(default_factory=dict)

    def allows(self, partition: Partition, path: Path) -> bool:
        """Whether a match may hold these events."""
        return self.skip.allows(partition, path[0][1][NUMBER], (event[NUMBER] for _, event in path))

    def of(self, partition: Partition, first: int, node: tuple[Any, ...]) -> Node:
        """The sequences of a node that a match may still hold; `None`: none of them.

        Args:
            partition: the values of PARTITION BY.
            first: the number of their first event.
            node: the sequences; what they share is looked at once.
        """
        if not self.skip.allows(partition, first, ()):
            return None
        return _without(node, self.skip.consumed, self._known) if self.skip.consumed else node


def chain(path: Path) -> tuple[Any, ...]:
    """The node of a single sequence."""
    node: Node = None
    for place, event in path:
        node = (1, node, place, event)
    return cast("tuple[Any, ...]", node)


def flattened(nodes: Sequence[tuple[Any, ...]]) -> tuple[Ints, Ints, Ints]:
    """Every sequence of some nodes, one behind the other: a list an event is cheaper than a list a sequence.

    Returns:
        The places of variables and the rows of all events, in order of time within each sequence, and the length of
        each sequence; those of a node stand together, as many as its count.
    """
    places: list[int] = []
    rows: list[int] = []
    lengths: list[int] = []
    for node in reversed(nodes):
        if node[0] == 1:  # a chain
            here, before = node, len(places)
            while here is not None:
                _, here, place, event = here
                places.append(place)
                rows.append(event[ROW])
            lengths.append(len(places) - before)
            continue
        stack: list[tuple[Node, int]] = [(node, 0)]
        place_of: list[int] = []
        row_of: list[int] = []
        while stack:
            here, length = stack.pop()
            del place_of[length:], row_of[length:]
            while here is not None:
                if len(here) == 3:
                    _, here, other = here
                    stack.append((other, len(place_of)))
                else:
                    _, here, place, event = here
                    place_of.append(place)
                    row_of.append(event[ROW])
            places += place_of
            rows += row_of
            lengths.append(len(place_of))
    flat = (np.array(values, dtype=np.int64)[::-1] for values in (places, rows, lengths))
    return next(flat), next(flat), next(flat)


def total_length(nodes: Iterable[tuple[Any, ...]]) -> int:
    """How many events all sequences of some nodes have together, none of which is enumerated."""
    known: dict[int, int] = {id(None): 0}
    stack: list[Node] = list(nodes)
    ends = tuple(stack)
    while stack:
        here = stack[-1]
        before = [] if here is None else [here[1]] if len(here) == 4 else [here[1], here[2]]
        missing = [part for part in before if id(part) not in known]
        if missing:
            stack += missing
            continue
        stack.pop()
        if here is not None:
            known[id(here)] = sum(known[id(part)] for part in before) + (here[0] if len(here) == 4 else 0)
    return sum(known[id(node)] for node in ends)


def last_time(node: tuple[Any, ...]) -> int:
    """T of the last event of a node that was extended last."""
    time: int = node[3][0]
    return time


def paths(node: tuple[Any, ...]) -> Iterator[Path]:
    """Every sequence of a node."""
    stack: list[tuple[Node, Any]] = [(node, None)]
    while stack:
        here, behind = stack.pop()
        while here is not None:
            if len(here) == 3:
                stack.append((here[2], behind))
                here = here[1]
            else:
                behind = ((here[2], here[3]), behind)
                here = here[1]
        path = []
        while behind is not None:
            path.append(behind[0])
            behind = behind[1]
        yield path
