"""Runs that have come to an end of the pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .stages import Finish, Run

if TYPE_CHECKING:
    from .partition_nfa import Partition

__all__ = ["Completed"]


@dataclass(slots=True, eq=False)
class Completed:
    """A run that has come to an end of the pattern.

    Attributes:
        run: its slots.
        node: its events.
        time: T of its last event.
        finish: the end.
        partition: where it ran.
    """

    run: Run
    node: tuple[Any, ...]
    time: int
    finish: Finish
    partition: Partition

    @property
    def rest(self) -> tuple[Any, tuple[tuple[Any, ...], ...]]:
        """The sides of ORs that it takes, and candidates of NOTs; see `Finish.rest`."""
        rest = self.finish.rest
        return (None, ()) if rest is None else rest(self.run, self.time, self.partition)

    @property
    def holds(self) -> bool:
        """Whether it is a match, all that its NOTs look at having come."""
        holds = self.finish.holds
        return holds is None or holds(self.run, self.time, self.partition)
