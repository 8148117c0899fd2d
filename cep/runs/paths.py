"""The events of many runs, held once: runs that go on alike share what they have in common (CORE's tECS).

A node is the end of a set of event sequences: `None` is the empty sequence; `(count, before, variable, event)` adds an
event to every sequence of `before`; `(count, one, other)` holds those of both. A node's size does not depend on how
many sequences end in it, and they are enumerated only where they are reported.

Source: Bucchi, Grez, Quintana, Riveros, Vansummeren, "CORE: a Complex Event Recognition Engine", PVLDB 15(9), 2022, §5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .layout import Event

__all__ = ["Node", "Path", "extended", "last_time", "paths", "united"]

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
