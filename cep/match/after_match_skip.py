"""AFTER MATCH: which matches stand beside those that were reported before them (docs/semantics.md 3.12).

A reported match forbids events, and nothing else is remembered of it. A skip forbids those of its partition up to some
place: all events of a match that begins behind it lie behind it. CONSUME forbids the events of the match itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ...expressions import Bools, Ints
from ...language.nodes import AfterMatch, AfterMatchKind, Query
from ..order import Candidates, physical, row_tuples
from ..output import MatchTable, gathered
from ..partitions import key_columns

__all__ = ["AfterMatchSkip", "Partition"]

_BARS = {"partition": pl.String(), "bar": pl.Int64()}
_CONSUMED = {"number": pl.Int64()}
_APART = {"window": pl.Int64(), "number": pl.Int64()}

Partition = tuple[object, ...]
"""The values of PARTITION BY."""


@dataclass(slots=True)
class AfterMatchSkip:
    """What the matches that stand forbid to later ones.

    Attributes:
        query: the query.
        bars: of each partition, the number of the last event that no later match may begin with.
        consumed: numbers of the events that no later match may hold.
        apart: with FOR, which asks for a window of each match, the same by context window; growing matches may still
            lie in another one.
        grown: whether more is forbidden to growing matches than when this was last set to false.
    """

    query: Query
    bars: dict[Partition, int] = field(default_factory=dict)
    consumed: set[int] = field(default_factory=set)
    apart: dict[int, set[int]] = field(default_factory=dict)
    grown: bool = False
    _table: pl.DataFrame | None = field(default=None, init=False)
    _by_window: bool = field(init=False)

    def __post_init__(self) -> None:
        self._by_window = bool(key_columns(self.query))

    @property
    def keeps_all(self) -> bool:
        """Whether every match stands."""
        return self.query.after_match.kind is AfterMatchKind.KEEP_ALL

    def standing(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> MatchTable:
        """Go through matches in output order and leave out what an earlier one forbids."""
        if self.keeps_all or not len(matches.time):
            return matches
        if self.query.after_match.kind is AfterMatchKind.CONSUME:
            places = self._unconsumed(_numbers(matches, candidates), matches.windows if self._by_window else None)
        else:
            first, bar = _skips(self.query.after_match, matches, candidates)
            places = self._behind_bars(self._partitions(matches, candidates), first.tolist(), bar.tolist())
        self.grown = self.grown or (bool(places) and not self._by_window)
        return matches.at(np.array(places, dtype=np.int64))

    def copied(self) -> AfterMatchSkip:
        """The same, which goes on by itself."""
        apart = {window: set(numbers) for window, numbers in self.apart.items()}
        return AfterMatchSkip(self.query, dict(self.bars), set(self.consumed), apart)

    def allows(self, partition: Partition, first: int, numbers: Iterable[int]) -> bool:
        """Whether a match may hold events with these numbers; `first`: that of the first one."""
        return first > self.bars.get(partition, -1) and self.consumed.isdisjoint(numbers)

    def lets_grow(self, growing: MatchTable, candidates: Mapping[str, Candidates]) -> Bools:
        """Which growing matches, each beside a context window that it lies in, may still stand."""
        if self.keeps_all or not len(growing.time):
            return np.ones(len(growing.time), dtype=bool)
        if self.query.after_match.kind is AfterMatchKind.CONSUME:
            windows = [] if growing.windows is None else growing.windows.tolist()
            pairs = zip(_numbers(growing, candidates), windows, strict=True)
            return np.array([self.apart.get(window, set()).isdisjoint(numbers) for numbers, window in pairs])
        first = _skips(self.query.after_match, growing, candidates)[0].tolist()
        partitions = self._partitions(growing, candidates)
        return np.array([begin > self.bars.get(of, -1) for begin, of in zip(first, partitions, strict=True)])

    def forbidden(self, partition: Sequence[pl.Series], numbers: Ints) -> Bools:
        """Which events serve in no later match.

        Args:
            partition: the values of PARTITION BY of each event.
            numbers: the events' numbers.
        """
        if self.consumed or not self.bars:
            return np.isin(numbers, list(self.consumed))
        if not partition:
            return numbers <= self.bars[()]
        own = pl.DataFrame([physical(column).alias(f"#{i}") for i, column in enumerate(partition)])
        if self._table is None:
            self._table = _bar_table(self.bars, own.schema)
        found = own.join(self._table, on=own.columns, how="left", nulls_equal=True, maintain_order="left")
        return numbers <= found["#bar"].fill_null(-1).to_numpy()

    def forget(self, before: int) -> None:
        """Forget events with numbers below the first event of every match to come."""
        self._table = None
        self.consumed = {number for number in self.consumed if number >= before}
        later = {window: {n for n in numbers if n >= before} for window, numbers in self.apart.items()}
        self.apart = {window: numbers for window, numbers in later.items() if numbers}
        self.bars = {partition: bar for partition, bar in self.bars.items() if bar >= before}

    def tables(self) -> dict[str, pl.DataFrame]:
        """The state."""
        partitions = [json.dumps(partition) for partition in self.bars]
        bars = pl.DataFrame({"partition": partitions, "bar": list(self.bars.values())}, _BARS)
        consumed = pl.DataFrame({"number": sorted(self.consumed)}, _CONSUMED)
        apart = [(window, number) for window, numbers in self.apart.items() for number in sorted(numbers)]
        by_window = {"skip.apart": pl.DataFrame(apart, _APART, orient="row")} if self._by_window else {}
        return {"skip.bars": bars, "skip.consumed": consumed, **by_window}

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Go on from what `tables` gave."""
        self._table = None
        self.bars = {tuple(json.loads(partition)): bar for partition, bar in tables["skip.bars"].rows()}
        self.consumed = set(tables["skip.consumed"]["number"])
        self.apart = {}
        for window, number in tables["skip.apart"].rows() if self._by_window else ():
            self.apart.setdefault(window, set()).add(number)

    def _partitions(self, matches: MatchTable, candidates: Mapping[str, Candidates]) -> list[Partition]:
        """The values of PARTITION BY, which all events of a match share."""
        windows = [pl.Series(matches.windows)] if self._by_window and matches.windows is not None else []
        return self.partitions(matches, candidates, *windows)

    def partitions(
        self, matches: MatchTable, candidates: Mapping[str, Candidates], *more: pl.Series
    ) -> list[Partition]:
        """The values of PARTITION BY of each match, and `more`."""
        found = [self._shared_value(matches, candidates, dict(columns)) for columns in self.query.partition_by]
        return row_tuples([*found, *more]) if found or more else [()] * len(matches.time)

    def _shared_value(
        self, matches: MatchTable, candidates: Mapping[str, Candidates], columns: Mapping[str, str]
    ) -> pl.Series:
        """A value of PARTITION BY of each match, that of any of its events."""
        own = [(candidates[v].frame[c], _first_rows(matches, v)) for v, c in columns.items() if v in matches.rows]
        for values, rows in own:
            if (rows >= 0).all():
                return gathered(values, rows)
        every = [gathered(values, rows).alias(str(i)) for i, (values, rows) in enumerate(own)]
        return pl.DataFrame(every).select(pl.coalesce(pl.all())).to_series()

    def _behind_bars(self, partitions: Sequence[Partition], first: Sequence[int], bar: Sequence[int]) -> list[int]:
        """Matches that begin behind the bars of those before them; each depends on what stands, one by one."""
        bars, places = self.bars, []
        self._table = None
        for place, (of, begin, new) in enumerate(zip(partitions, first, bar, strict=True)):
            known = bars.get(of, -1)
            if begin > known:
                places.append(place)
                bars[of] = max(new, known)
        return places

    def _unconsumed(self, numbers: Iterable[Sequence[int]], windows: Ints | None) -> list[int]:
        """Matches none of whose events serves in a match before them that stands, of the same of these windows."""
        places, consumed = [], self.consumed
        of = None if windows is None else windows.tolist()
        for place, events in enumerate(numbers):
            if of is not None:
                consumed = self.apart.setdefault(of[place], set())
            if consumed.isdisjoint(events):
                consumed.update(events)
                places.append(place)
        return places


def _bar_table(bars: Mapping[Partition, int], types: pl.Schema) -> pl.DataFrame:
    """The bars in the column `#bar` beside the partitions' values, in which NaN is a number again."""
    columns = {}
    for (name, type_), values in zip(types.items(), zip(*bars, strict=True), strict=True):
        numbers = [math.nan if v == "NaN" else v for v in values] if type_.is_float() else values
        columns[name] = pl.Series(name, numbers, type_)
    return pl.DataFrame({**columns, "#bar": pl.Series(list(bars.values()), dtype=pl.Int64)})


def _skips(after: AfterMatch, matches: MatchTable, candidates: Mapping[str, Candidates]) -> tuple[Ints, Ints]:
    """The number of each match's first event, and of the last one that no later match may begin with."""
    first = matches.first_numbers(candidates)
    if after.kind is AfterMatchKind.PAST_LAST:
        return first, matches.last_numbers(candidates)
    if after.variable is None:
        return first, first
    firsts, lasts = matches.numbers(candidates)
    numbers = firsts if after.kind is AfterMatchKind.TO_FIRST else lasts
    target = numbers[list(matches.rows).index(after.variable)]
    return first, np.where(target < 0, first, target - 1)  # later matches may begin at that event


def _numbers(matches: MatchTable, candidates: Mapping[str, Candidates]) -> list[list[int]]:
    """The numbers of each match's events."""
    of_matches: list[list[int]] = matches.events(candidates).to_list()
    return of_matches


def _first_rows(matches: MatchTable, variable: str) -> Ints:
    rows, offsets = matches.rows[variable], matches.offsets.get(variable)
    if offsets is None:
        return rows
    start, end = offsets[:-1], offsets[1:]
    return np.where(end > start, np.append(rows, -1)[start], -1)
