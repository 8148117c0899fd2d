"""The state of runs as text, for another process to go on from.

Stages are written as the way in which they were made, and nodes of paths once each: what runs share stays shared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....expressions import NOTHING
from ..event_layout import FIRST_COLUMN, NUMBER, ROW, TIME, Event
from ..shared_buffer import Node

__all__ = ["NodeWriter", "read_nodes", "read_value", "written_value"]


class NodeWriter:
    """Writes nodes of paths, what they are made of before them.

    Args:
        whole: whether events are written with their columns; else they are what paths need.
    """

    def __init__(self, *, whole: bool) -> None:
        self._whole = whole
        self.written: list[list[Any]] = []
        self._known: dict[int, int] = {}

    def number(self, node: Node) -> int:
        """The number of a node; of the empty sequence −1."""
        if node is None:
            return -1
        stack = [node]
        while stack:
            here = stack[-1]
            parts = here[1:] if len(here) == 3 else here[1:2]
            missing = [part for part in parts if part is not None and id(part) not in self._known]
            if missing:
                stack += missing
                continue
            stack.pop()
            if id(here) not in self._known:
                self._known[id(here)] = len(self.written)
                numbers = [-1 if part is None else self._known[id(part)] for part in parts]
                event = [] if len(here) == 3 else self._event(here[2], here[3])
                self.written.append([here[0], *numbers, *event])
        return self._known[id(node)]

    def _event(self, variable: int, event: Event) -> list[Any]:
        columns = map(written_value, event[FIRST_COLUMN:]) if self._whole else ()
        return [variable, event[TIME], event[NUMBER], event[ROW], *columns]


def read_nodes(written: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """What `NodeWriter` wrote."""
    nodes: list[tuple[Any, ...]] = []
    for count, before, *rest in written:
        first = None if before < 0 else nodes[before]
        if len(rest) == 1:
            nodes.append((count, first, nodes[rest[0]]))
        else:
            variable, time, number, row, *columns = rest
            nodes.append((count, first, variable, (time, number, -1, row, *map(read_value, columns))))
    return nodes


def written_value(value: Any) -> Any:
    """A slot's value as JSON can hold it: what JSON does not know is a list that begins with a mark."""
    match value:
        case tuple():
            return ["t", *(written_value(part) for part in value)]
        case frozenset():
            return ["s", *(written_value(part) for part in value)]
        case float():
            return ["f", value.hex() if math.isfinite(value) else str(value)]
        case None | bool() | int() | str():
            return value
        case _ if value is NOTHING:
            return ["n"]
        case _:
            raise TypeError(f"a register cannot be written that holds {value!r}")


def read_value(value: Any) -> Any:
    """What `written_value` wrote."""
    if not isinstance(value, list):
        return value
    kind, *parts = value
    match kind:
        case "t":
            return tuple(read_value(part) for part in parts)
        case "s":
            return frozenset(read_value(part) for part in parts)
        case "f":
            return float.fromhex(parts[0]) if "x" in parts[0] else float(parts[0])
        case "n":
            return NOTHING
        case _:
            raise TypeError(f"no register is written as {kind!r}")
