"""What an operator holds at a moment, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ...expressions import Bools, Ints

__all__ = ["BoundEvents", "HeldRows", "HeldState", "held_together"]

_NOTHING = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class BoundEvents:
    """The events that a variable is bound to.

    Attributes:
        match: numbers of partial matches, ascending; one that binds several events stands as often.
        row: of each the row of its candidate, within a partial match in order of time.
    """

    match: Ints
    row: Ints


@dataclass(frozen=True, slots=True)
class HeldState:
    """The state of a query.

    Attributes:
        candidates: by variable, candidates with all columns of their stream.
        bound: by variable, in order of FROM, what partial matches bind; of an aggregate, one has all that open
            windows hold.
        until: of each partial match, the last moment at which it may be completed, in microseconds; beyond all time
            stamps: always.
    """

    candidates: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    bound: Mapping[str, BoundEvents] = field(default_factory=dict)
    until: Ints = field(default_factory=lambda: _NOTHING)

    def only(self, kept: Bools, until: Ints) -> HeldState:
        """Some of the partial matches.

        Args:
            kept: which.
            until: of each, those that go included, until when.
        """
        number = np.cumsum(kept) - 1
        bound = {}
        for variable, of in self.bound.items():
            left = kept[of.match]
            bound[variable] = BoundEvents(number[of.match[left]], of.row[left])
        return HeldState(self.candidates, bound, until[kept])


@dataclass(frozen=True, slots=True)
class HeldRows:
    """The same as one mapping for each partial match, as automata and what waits in a mode tell them.

    Attributes:
        candidates: see `HeldState`.
        rows: of each partial match, by variable, the rows of its candidates in order of time.
        until: see `HeldState`; with FOR, without an event of the variables that it names.
        inside: with FOR, of each the same with one of their events; -1: it is not.
    """

    candidates: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    rows: Sequence[Mapping[str, Sequence[int]]] = ()
    until: Sequence[int] = ()
    inside: Sequence[int] = ()

    def in_columns(self) -> HeldState:
        """As columns."""
        bound = {}
        for variable in self.candidates:
            lengths = [len(one.get(variable, ())) for one in self.rows]
            match = np.repeat(np.arange(len(self.rows)), lengths)
            row = np.array([row for one in self.rows for row in one.get(variable, ())], dtype=np.int64)
            bound[variable] = BoundEvents(match, row)
        return HeldState(self.candidates, bound, np.array(self.until, dtype=np.int64))


def held_together(
    candidates: Mapping[str, pl.DataFrame], parts: Sequence[tuple[Mapping[str, Ints], Ints]]
) -> HeldState:
    """Partial matches that bind each of their variables once.

    Args:
        candidates: by variable, in order of FROM.
        parts: by bound variable rows of candidates, one of each partial match, and until when.
    """
    first = np.cumsum([0, *(len(until) for _, until in parts)])
    bound = {}
    for variable in candidates:
        own = [
            (np.arange(len(rows[variable])) + start, rows[variable])
            for start, (rows, _) in zip(first, parts, strict=False)
            if variable in rows
        ]
        match, row = (np.concatenate([_NOTHING, *of]) for of in zip(*own, strict=True)) if own else (_NOTHING,) * 2
        bound[variable] = BoundEvents(match, row)
    return HeldState(candidates, bound, np.concatenate([_NOTHING, *(until for _, until in parts)]))
