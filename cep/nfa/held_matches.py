"""The partial matches that an automaton holds at a moment, as rows of candidates (LANGUAGE-2 §9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..match import CandidateBuffer
from .compiler import RegisterValues, State
from .event_layout import ROW
from .negation_buffer import PartitionBuffers
from .runtime import AcceptedMatch
from .shared_buffer import last_time, paths

__all__ = ["HeldMatches"]

Waits = Callable[[AcceptedMatch, int], int | None]
"""From what has come to an end and may become a match at a moment, the last one at which it may; `None`: it may not."""


@dataclass(slots=True)
class HeldMatches:
    """Partial matches.

    Attributes:
        buffer: has their candidates.
        variables: that they bind; places of events are those of this.
        rows: of each, by variable, the rows of its candidates in the buffer, in order of time.
        until: of each, the last moment at which it may be completed, in microseconds; with FOR, without an event of its
            variables.
        inside: of each, the same with one.
    """

    buffer: CandidateBuffer
    variables: Sequence[str]
    rows: list[dict[str, list[int]]] = field(default_factory=list)
    until: list[int] = field(default_factory=list)
    inside: list[int] = field(default_factory=list)

    def add(self, node: tuple[Any, ...], until: int, inside: int = -1) -> None:
        """Every sequence of events of a node."""
        for path in paths(node):
            found: dict[str, list[int]] = {}
            for place, event in path:
                found.setdefault(self.variables[place], []).append(event[ROW])
            current = self.buffer.current({v: np.array(rows) for v, rows in found.items()})
            self.rows.append({v: current[v].tolist() for v in self.variables if v in current})
            self.until.append(until)
            self.inside.append(inside)

    def add_waiting(
        self, state: State, registers: RegisterValues, node: tuple[Any, ...], buffers: PartitionBuffers, waits: Waits
    ) -> None:
        """What no event prolongs any more, and what waits for the end of a last NOT."""
        for final in state.finals:
            accepted = AcceptedMatch(registers, node, last_time(node), final, buffers)
            due = None if final.due is None else waits(accepted, final.due(registers, accepted.time))
            if due is not None:
                self.add(node, due)
