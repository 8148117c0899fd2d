"""Runs that have come to an end of the pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..compiler import FinalState, RegisterValues
from ..negation_buffer import PartitionBuffers

__all__ = ["AcceptedMatch"]


@dataclass(slots=True, eq=False)
class AcceptedMatch:
    """A run that has come to an end of the pattern.

    Attributes:
        registers: what it remembers.
        node: its events.
        time: T of its last event.
        final: the end.
        buffers: those of its partition.
        moment: at which EVERY is asked of it.
        before: the moment at which it held before; 0: there is none.
    """

    registers: RegisterValues
    node: tuple[Any, ...]
    time: int
    final: FinalState
    buffers: PartitionBuffers
    moment: int = 0
    before: int = 0

    @property
    def rest(self) -> tuple[Any, tuple[tuple[Any, ...], ...]]:
        """The sides of ORs that it takes, and candidates of NOTs; see `FinalState.rest`."""
        rest = self.final.rest
        return (None, ()) if rest is None else rest(self.registers, self.time, self.buffers, self.moment)

    @property
    def holds(self) -> bool:
        """Whether it is a match, all that its NOTs look at having come."""
        holds = self.final.holds
        return holds is None or holds(self.registers, self.time, self.buffers, self.moment, self.before)

    def holds_at(self, moment: int) -> bool:
        """Whether it is a match at a moment of EVERY, all that its NOTs look at having come."""
        holds = self.final.holds
        return holds is None or holds(self.registers, self.time, self.buffers, moment, self.moment)
