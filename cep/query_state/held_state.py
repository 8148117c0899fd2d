"""What an operator holds at a moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

__all__ = ["HeldState"]


@dataclass(frozen=True, slots=True)
class HeldState:
    """The state of a query.

    Attributes:
        candidates: by variable, candidates with all columns of their stream.
        rows: of each partial match, by variable, the rows of its candidates in order of time; of an aggregate, one that
            has all that open windows hold.
        until: of each, the last moment at which it may be completed, in microseconds; beyond all time stamps: always.
            With FOR, without an event of the variables that it names.
        inside: with FOR, of each the same with one of their events; -1: it is not.
    """

    candidates: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    rows: Sequence[Mapping[str, Sequence[int]]] = ()
    until: Sequence[int] = ()
    inside: Sequence[int] = ()
