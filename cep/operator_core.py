"""What an operator's core does between the reorder buffer and the output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import polars as pl

from ..expressions import Ints, Names
from .match import Recurrence
from .order import SharedEvents
from .output import MatchFrame
from .snapshot_codec import OperatorState

__all__ = ["Kernel"]


class Kernel(Protocol):
    """Finds matches among candidates that arrive in total order."""

    @property
    def names(self) -> Names:
        """Where `MatchFrame.frame` holds values."""

    @property
    def considered(self) -> int:
        """How many matches or windows it has found so far, before HAVING and AFTER MATCH."""

    @property
    def due(self) -> int | None:
        """The next watermark (microseconds) that may make it report more without a further candidate; `None`: none.

        It may be too early, never too late: whoever moves the watermark there asks again.
        """

    @property
    def held_since(self) -> int | None:
        """What no `_time` of the matches to come lies below, in microseconds; `None`: the watermark."""

    @property
    def oldest(self) -> int | None:
        """The time stamp of the first candidate of a query in contexts that it may still report; `None`: there is none.

        In microseconds. No row to come lies in a context window that ended before that and before the watermark.
        """

    @property
    def recurrence(self) -> Recurrence | None:
        """How matches recur; `None`: none ever does."""

    @property
    def awaited(self) -> Ints:
        """The numbers of the events whose very next ones, whenever they come, decide about matches that wait."""

    def advance(self, released: Mapping[str, pl.DataFrame], watermark: int) -> MatchFrame | None:
        """Take in what was released (each in total order, all below the watermark, in microseconds).

        Returns:
            The matches that became true, in output order; `None`: there are none.
        """

    def share(self, events: SharedEvents) -> None:
        """Keep what others keep of the same events, instead of a copy."""

    def state(self) -> OperatorState:
        """What it remembers."""

    def load(self, state: OperatorState) -> None:
        """Go on from what `state` remembered."""
