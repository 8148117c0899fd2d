"""What all queries ask of the events of a stream in a batch, found together: kindred queries differ in constants only.

All FILTERs, and all conditions that PATHs have on columns, go through the events as one selection of columns; the
events of all queries that take few of them are copied at once, and each of these is given its part of that copy. A
query that takes no event is told so, and nothing is called for it.
Source: H2O §V (filters of many queries); docs/decisions/272.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
from polars.exceptions import PanicException

from .....cep import Filter
from .....expressions import Ints
from .....semfilter.runtime import ColumnTest, Mask
from .event_batch import Asked, EventBatch, Found

__all__ = ["shared_batch"]

_SHARE = 8
"""Of a query that takes more than such a part of the events, the copy is made when it is asked, and dropped then."""
_TIMES = 16
"""So many times the events of a batch are copied ahead, at the most."""


class _Kept(NamedTuple):
    """What FILTERs leave: which events, and how many behind each."""

    mask: Mask | None
    left: tuple[int, ...]


def shared_batch(table: pa.Table, asked: Callable[[], Iterable[Asked]]) -> EventBatch:
    """The events of a stream in one batch, of which the first that asks finds what all ask.

    Args:
        table: the event table.
        asked: gives what all queries ask that are given these events.
    """
    return EventBatch(table, lambda batch: _found_together(batch, asked()))


def _found_together(batch: EventBatch, asked: Iterable[Asked]) -> Mapping[Asked, Found]:
    """What each of those finds that take few events; the others find what they share in the batch."""
    different = dict.fromkeys(asked)
    if len(different) < 2 or not batch.table.num_rows:
        return {}
    with suppress(Exception, PanicException):  # whose fault it is comes out where each asks by itself
        _ask_conditions(batch, different)
        return _Search(batch).found(different)
    return {}


def _ask_conditions(batch: EventBatch, asked: Iterable[Asked]) -> None:
    """Ask all that is asked of columns alone, in one selection."""
    conditions: dict[Hashable, ColumnTest] = {}
    for one in asked:
        for condition in one.conditions:
            conditions.setdefault(condition.said, condition)
    arrays: dict[str, npt.NDArray[np.float64]] = {}
    others: list[ColumnTest] = []
    for said, condition in conditions.items():
        values = None if condition.threshold is None else _doubles(batch, condition.threshold.column, arrays)
        if condition.threshold is not None and values is not None:
            batch.verdicts.learn({said: condition.threshold.passed(values)})
        else:
            others.append(condition)
    if len(others) < 2:
        return
    columns = sorted({name for condition in others for name in condition.columns}) or ["_time"]
    answered = batch.frame(columns).select(condition.test.alias(str(n)) for n, condition in enumerate(others))
    if answered.height == batch.table.num_rows:
        batch.verdicts.learn({condition.said: answered[str(n)].to_numpy() for n, condition in enumerate(others)})


def _doubles(batch: EventBatch, name: str, known: dict[str, npt.NDArray[np.float64]]) -> npt.NDArray[np.float64] | None:
    """A column of doubles, NaN where it is null; `None`: it is of another type."""
    if name not in known:
        column = batch.frame([name])[name]
        if column.dtype != pl.Float64:
            return None
        known[name] = column.to_numpy()
    return known[name]


class _Search:
    """Finds the events that each takes, and copies those of all of them at once.

    Args:
        batch: the events.
    """

    def __init__(self, batch: EventBatch) -> None:
        self._batch = batch
        self._kept: dict[tuple[Hashable, ...], _Kept] = {}

    def found(self, asked: Iterable[Asked]) -> dict[Asked, Found]:
        """What each finds that takes few."""
        height, room = self._batch.table.num_rows, self._batch.table.num_rows * _TIMES
        found: dict[Asked, Found] = {}
        copied: dict[tuple[str, ...], list[tuple[Asked, Ints]]] = {}
        for one in asked:
            kept = self._filtered(one)
            if kept.left and not kept.left[-1]:
                found[one] = Found(None, kept.left + (0,) * (one.paths is not None))
                continue
            taken, result = self._taken(one, kept)
            if len(taken) * _SHARE <= height and len(taken) <= room:
                room -= len(taken)
                found[one] = result
                copied.setdefault(one.columns, []).append((one, taken))
        for columns, parts in copied.items():
            every = self._batch.frame(columns)[np.concatenate([taken for _, taken in parts])]
            first = 0
            for one, taken in parts:
                found[one] = found[one]._replace(frame=every.slice(first, len(taken)))
                first += len(taken)
        return found

    def _filtered(self, one: Asked) -> _Kept:
        """What FILTERs leave, once for all that have the same."""
        if one.said not in self._kept:
            self._kept[one.said] = self._conjunction(one)
        return self._kept[one.said]

    def _conjunction(self, one: Asked) -> _Kept:
        mask: Mask | None = None
        left: tuple[int, ...] = ()
        for place in range(len(one.said) if one.filters is not None else 0):
            mask = self._batch.passed(one.said, cast("Filter", one.filters), one.tested, place, mask)
            left = (*left, int(np.count_nonzero(mask)))
        return _Kept(mask, left)

    def _taken(self, one: Asked, kept: _Kept) -> tuple[Ints, Found]:
        """Where the events stand that FILTERs and PATHs leave."""
        mask, batch = kept.mask, self._batch
        if one.paths is None:
            taken = np.arange(batch.table.num_rows) if mask is None else np.flatnonzero(mask)
            return taken, Found(None, kept.left)
        places = batch.part(one.semantics).places
        taken = places if mask is None else places[mask[places]]
        asked = batch.table.num_rows if mask is None else kept.left[-1]
        single = len(one.semantics.subqueries) == 1
        held = (len(taken),) if single else one.semantics.held(batch.table, mask, batch.verdicts)
        return taken, Found(None, (*kept.left, len(taken)), asked, held)
