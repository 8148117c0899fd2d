"""AFTER MATCH: which matches stand beside those that were reported before them (docs/semantics.md 3.12).

A reported match forbids events, and nothing else is remembered of it. A skip forbids those of its partition up to some
place: all events of a match that begins behind it lie behind it. CONSUME forbids the events of the match itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ...expressions import Bools, Ints
from ...language.nodes import AfterMatch, AfterMatchKind
from ..order import group_codes

__all__ = ["Standing", "standing_matches"]

_BAR = "#bar"


@dataclass(frozen=True, slots=True)
class Standing:
    """The matches that stand, and what they forbid.

    Attributes:
        places: of the matches that stand.
        bars: a row per partition, its values and the number of the last event that no later match may hold.
        consumed: numbers of the events that no later match may hold.
    """

    places: Ints
    bars: pl.DataFrame
    consumed: Ints

    def forbidden(self, partition: Sequence[pl.Series], numbers: Ints) -> Bools:
        """Which events serve in no later match.

        Args:
            partition: the values of PARTITION BY of each event.
            numbers: the events' numbers.
        """
        if len(self.consumed) or not self.bars.height:
            return np.isin(numbers, self.consumed)
        own = _partitions(partition, len(numbers))
        keys = own.columns
        bars = own.join(self.bars, on=keys, how="left", nulls_equal=True, maintain_order="left")[_BAR]
        return numbers <= bars.fill_null(-1).to_numpy()


def standing_matches(
    after: AfterMatch, partition: Sequence[pl.Series], numbers: Ints, skip_to: Ints | None = None
) -> Standing:
    """Go through matches in output order and leave out what an earlier one forbids.

    Args:
        after: anything but KEEP ALL.
        partition: the values of PARTITION BY of each match.
        numbers: the events' numbers, a row per variable and a column per match; −1: it is not bound.
        skip_to: the number of the event that SKIP TO FIRST or LAST names, in each match; −1: there is none.
    """
    partitions = _partitions(partition, numbers.shape[1])
    nothing = partitions.clear().with_columns(pl.Series(_BAR, [], dtype=pl.Int64))
    if after.kind is AfterMatchKind.CONSUME:
        places = _unconsumed(numbers)
        return Standing(places, nothing, np.unique(numbers[:, places]))
    first, last = np.where(numbers < 0, numbers.max(initial=0), numbers).min(axis=0), numbers.max(axis=0)
    bar = last if after.kind is AfterMatchKind.PAST_LAST else first
    if skip_to is not None:
        bar = np.where(skip_to < 0, first, skip_to - 1)  # later matches may begin at that event
    places = _behind_bars(group_codes(partitions.get_columns()), first, bar)
    bars = partitions[places].with_columns(pl.Series(_BAR, bar[places]))
    return Standing(places, bars.group_by(partitions.columns).agg(pl.max(_BAR)), np.empty(0, np.int64))


def _partitions(partition: Sequence[pl.Series], count: int) -> pl.DataFrame:
    """The values of PARTITION BY; without it there is one partition."""
    columns = list(partition) or [pl.Series(np.zeros(count, np.int64))]
    return pl.DataFrame([column.alias(f"#{i}") for i, column in enumerate(columns)])


def _behind_bars(partition: Ints, first: Ints, bar: Ints) -> Ints:
    """Matches that begin behind the bars of those before them; each depends on what stands, one by one."""
    bars: dict[int, int] = {}
    places = []
    for place, (of, begin, new) in enumerate(zip(partition.tolist(), first.tolist(), bar.tolist(), strict=True)):
        if begin > bars.get(of, -1):
            places.append(place)
            bars[of] = max(new, bars.get(of, -1))
    return np.array(places, dtype=np.int64)


def _unconsumed(numbers: Ints) -> Ints:
    """Matches none of whose events serves in a match before them that stands."""
    consumed: set[int] = set()
    places = []
    for place, column in enumerate(numbers.T.tolist()):
        events = [number for number in column if number >= 0]
        if consumed.isdisjoint(events):
            consumed.update(events)
            places.append(place)
    return np.array(places, dtype=np.int64)
