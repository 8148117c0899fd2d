"""What all queries ask of the events of a stream in a batch, found together, as numbers of rows.

Nothing is copied: whoever takes few of the events is told in which rows they stand. Whoever takes many asks by itself.
Source: H2O §V (filters of many queries); docs/decisions/272, 290.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from typing import NamedTuple, cast

import numpy as np
import polars as pl
import pyarrow as pa
from polars.exceptions import PanicException

from .....cep import Filter
from .....expressions import Bools, Floats, Ints, ThresholdChain, doubles_of
from .....semfilter.runtime import Mask
from .condition_masks import ConditionMasks
from .event_batch import Asked, EventBatch, Found
from .filter_chains import FilterChain, FilterGraph

__all__ = ["JointCandidates", "shared_batch"]

_SHARE = 8
"""Whoever takes more than such a part of the events asks by itself, one after the other."""
_TIMES = 16
"""So many times the events of a batch are numbered for all together, at the most."""


def shared_batch(table: pa.Table, graph: Callable[[], FilterGraph]) -> EventBatch:
    """The events of a stream in one batch, of which the first that asks finds what all ask.

    Args:
        table: the event table.
        graph: gives what all queries ask that are given these events.
    """
    return EventBatch(table, lambda batch: _found_together(batch, graph()))


def _found_together(batch: EventBatch, graph: FilterGraph) -> JointCandidates | None:
    if len(graph.nodes) < 2 or not batch.table.num_rows:
        return None
    with suppress(Exception, PanicException):  # whose fault it is comes out where each asks by itself
        return JointCandidates(batch, graph)
    return None


class JointCandidates:
    """What each node of a filter graph takes of a batch.

    Attributes:
        graph: the filter graph.
        left: of each node, how many events are left behind each FILTER, and behind the PATHs.
        asked: about how many events the PATHs of each were asked; 0: about none, or there are none.
        taken: how many each takes.
        few: which are found together; the others are to be asked by themselves.

    Args:
        batch: the events.
        graph: the filter graph.
    """

    def __init__(self, batch: EventBatch, graph: FilterGraph) -> None:
        self.graph = graph
        self._batch, self._height = batch, batch.table.num_rows
        self._room = self._height * _TIMES
        size = len(graph.nodes)
        self.left = np.zeros((size, graph.width), dtype=np.int64)
        self.asked, self.taken = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        self.few = np.zeros(size, dtype=bool)
        self._places: dict[int, Ints] = {}
        self._held: dict[int, tuple[int, ...]] = {}
        self._frames: dict[int, pl.DataFrame] = {}
        self._left_by: dict[Hashable, Ints] = {}
        self._columns: dict[str, Floats | None] = {}
        self._ordered: dict[str, Floats] = {}
        others = [*graph.others]
        self._learn_classes()
        for chain in graph.chains:
            if not self._follow(chain):
                others += chain.numbers.tolist()
        self._ask_others(others)

    @property
    def numbers(self) -> Mapping[Asked, int]:
        """The number of what one asks."""
        return self.graph.numbers

    def places(self, number: int) -> Ints:
        """The rows that a node takes which is one of the few, ascending."""
        return self._places[number]

    def found(self, asked: Asked) -> Found | None:
        """What one takes, as a frame; `None`: it is to be asked by itself."""
        number = self.graph.numbers.get(asked)
        if number is None or not self.few[number]:
            return None
        filters, paths = len(asked.said), asked.paths is not None
        left = tuple(self.left[number, : filters + paths].tolist())
        if filters and not left[filters - 1]:
            return Found(None, left)
        if number not in self._frames:
            self._frames[number] = self._batch.frame(asked.columns)[self._places[number]]
        if not paths:
            return Found(self._frames[number], left)
        return Found(self._frames[number], left, int(self.asked[number]), self._held.get(number, left[filters:]))

    def _learn_classes(self) -> None:
        for classes, paths in self.graph.classes:
            places = classes.places(self._batch.table, self._batch.verdicts)
            self._batch.verdicts.learn_places({path.compiled: of for path, of in zip(paths, places, strict=True)})

    def _follow(self, chain: FilterChain) -> bool:
        """Find what the nodes of a chain take; `False`: they are to be asked by masks."""
        table = self._batch.table
        if any(table.column(name).null_count for name in chain.required):
            return False
        rows = None if chain.path is None else chain.path.places_of_individuals(table, self._batch.verdicts)
        if chain.thresholds is None or chain.column is None:
            every = np.arange(self._height) if rows is None else rows
            taken = np.full(len(chain.numbers), len(every))
            self._count(chain, np.full(len(chain.numbers), self._height), taken)
            for number in self._choose(chain.numbers, taken):
                self._places[number] = every
            return True
        values = self._doubles(chain.column)
        if values is None:
            return False
        if rows is None:
            taken = chain.thresholds.counts(self._in_order(chain.column, values))
            self._count(chain, taken, taken)
            self._compare(chain, chain.thresholds, values, np.arange(self._height), taken)
            asked = [(number, self.graph.nodes[number]) for number in chain.numbers.tolist() if self.few[number]]
            self._left_by |= {one.conditions[0].said: self._places[number] for number, one in asked}
            return True
        before = np.empty(0, dtype=np.int64)
        if chain.first.any():
            before = chain.thresholds.counts(self._in_order(chain.column, values))
        values = values[rows]
        if len(rows) * _SHARE <= self._height and len(rows) * len(chain.numbers) <= self._room:
            places = chain.thresholds.passing(values, rows)
            taken = np.array([len(of) for of in places], dtype=np.int64)
            self._take(chain.numbers.tolist(), places, int(taken.sum()))
        else:
            taken = chain.thresholds.counts(_ordered(values))
            self._compare(chain, chain.thresholds, values, rows, taken)
        self._count(chain, before, taken)
        return True

    def _take(self, numbers: list[int], places: list[Ints], rows: int) -> None:
        """Note what nodes take, all of which take few events."""
        self.few[numbers] = True
        self._places |= zip(numbers, places, strict=True)
        self._room -= rows

    def _count(self, chain: FilterChain, before: Ints, taken: Ints) -> None:
        """Count for the nodes of a chain how many events FILTERs leave, and how many are taken."""
        numbers, first = chain.numbers, chain.first
        self.taken[numbers] = taken
        if chain.path is None:
            self.left[numbers[first], 0] = taken[first]
            return
        self.left[numbers, first.astype(np.int64)] = taken
        self.asked[numbers[~first]] = self._height
        if first.any():
            self.asked[numbers[first]] = self.left[numbers[first], 0] = before[first]

    def _compare(self, chain: FilterChain, thresholds: ThresholdChain, values: Floats, rows: Ints, taken: Ints) -> None:
        few = self._choose(chain.numbers, taken)
        if len(few) < len(chain.numbers):
            thresholds = thresholds.of(np.isin(chain.numbers, few))
        self._places |= zip(few, thresholds.passing(values, rows), strict=True)

    def _choose(self, numbers: Ints, taken: Ints) -> list[int]:
        """Those nodes that take few events, as long as there is room for these."""
        few = taken * _SHARE <= self._height
        few &= np.cumsum(np.where(few, taken, 0)) <= self._room
        self._room -= int(taken[few].sum())
        self.few[numbers[few]] = True
        chosen: list[int] = numbers[few].tolist()
        return chosen

    def _doubles(self, name: str) -> Floats | None:
        """A column as doubles, NaN where it is null; `None`: it has no numbers, or one that no double is exactly."""
        if name not in self._columns:
            self._columns[name] = doubles_of(self._batch.frame([name])[name])
        return self._columns[name]

    def _in_order(self, name: str, values: Floats) -> Floats:
        """The values of a column in ascending order, without NaN."""
        if name not in self._ordered:
            self._ordered[name] = _ordered(values)
        return self._ordered[name]

    def _ask_others(self, numbers: list[int]) -> None:
        """Ask those by masks of which more is asked than one threshold and one PATH."""
        masks = ConditionMasks(self._batch, self.graph.wider, self._left_by, self._doubles)
        masks.ask(condition for number in numbers for condition in self.graph.nodes[number].conditions)
        filtered: dict[tuple[Hashable, ...], _Kept] = {}
        for number in numbers:
            one = self.graph.nodes[number]
            kept = filtered.get(one.said) or filtered.setdefault(one.said, _conjunction(self._batch, one))
            self.left[number, : len(kept.left)] = kept.left
            if kept.left and not kept.left[-1]:
                self.few[number], self._places[number] = True, np.empty(0, dtype=np.int64)
                continue
            places = self._masked(number, one, kept)
            self.taken[number] = len(places)
            if self._choose(np.array([number]), self.taken[[number]]):
                self._places[number] = places

    def _masked(self, number: int, one: Asked, kept: _Kept) -> Ints:
        """Where the events stand that FILTERs and PATHs leave."""
        mask, batch = kept.mask, self._batch
        if one.paths is None:
            return np.arange(self._height) if mask is None else np.flatnonzero(mask)
        places = batch.part(one.semantics).places
        taken = places if mask is None else places[mask[places]]
        self.asked[number] = self._height if mask is None else kept.left[-1]
        self.left[number, len(kept.left)] = len(taken)
        if one.semantics.single is None:
            self._held[number] = one.semantics.held(batch.table, mask, batch.verdicts)
        return taken


class _Kept(NamedTuple):
    """What FILTERs leave: which events, and how many behind each."""

    mask: Mask | None
    left: tuple[int, ...]


def _conjunction(batch: EventBatch, one: Asked) -> _Kept:
    mask: Mask | None = None
    left: tuple[int, ...] = ()
    for place in range(len(one.said) if one.filters is not None else 0):
        mask = batch.passed(one.said, cast("Filter", one.filters), one.tested, place, mask)
        left = (*left, int(np.count_nonzero(mask)))
    return _Kept(mask, left)


def _ordered(values: Floats) -> Floats:
    """Values in ascending order, without NaN."""
    ordered = np.sort(values)
    nan: Bools = np.isnan(ordered[-1:])
    return ordered[: np.searchsorted(ordered, np.nan)] if nan.any() else ordered
