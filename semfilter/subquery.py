"""One semantic subquery at run time: keys of the batch → cached verdicts, one query for the others → selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from threading import Lock
from time import perf_counter

import numpy as np
import polars as pl
import pyarrow as pa
from cachetools import LRUCache

from ..language.columns import column_expression
from ..language.types import ValueType
from .evaluate import Scratch, Solution, solve
from .keys import Codes, Key, KeyReader, Keys, events_of
from .plan import Context, Plan
from .selection import ROW, Mask, Selection
from .term_values import term_column

_SOLUTION = "solution"


@dataclass(slots=True)
class SubqueryStatistics:
    """What a subquery has cost so far.

    Attributes:
        events: events that it was asked about.
        keys: distinct keys, summed over batches.
        hits: keys whose verdict was in the cache.
        misses: keys that had to be evaluated.
        seconds: time spent, evaluation included.
    """

    events: int = 0
    keys: int = 0
    hits: int = 0
    misses: int = 0
    seconds: float = 0.0


class _Solutions:
    """The solutions of the distinct keys of a batch.

    Attributes:
        keys: the very list that they were found for.
        of_key: the solutions of each key.
        holds: whether each key has one.
    """

    def __init__(self, keys: Sequence[Key], of_key: list[list[Solution]]) -> None:
        self.keys = keys
        self.of_key = of_key
        self.holds = np.fromiter((bool(s) for s in of_key), np.bool_, len(of_key))


class SubqueryFilter:
    """Applies one subquery to batches of events; its state is the cache and the statistics.

    Args:
        plan: the compiled subquery.
        context: shape, knowledge and types of the bindings.
        cache_size: how many keys' verdicts are kept; the least recently used leaves first.
    """

    def __init__(self, plan: Plan, context: Context, cache_size: int) -> None:
        self.plan = plan
        self.statistics = SubqueryStatistics()
        self._context = context
        self._cache: LRUCache[Key, list[Solution]] = LRUCache(cache_size)
        self._keys = KeyReader(plan)
        self._last = _Solutions([], [])
        self._lock = Lock()

    @property
    def columns(self) -> frozenset[str]:
        """The columns of an event table that it looks at."""
        key = {name for part in self.plan.key for name in (part.column, part.individual) if name is not None}
        copied = {column for _, column in self.plan.copies}
        return frozenset(key | copied | {*self.plan.present, *({"_id"} if self.plan.identified else ())})

    def select(self, events: pa.Table) -> Selection:
        """Which events of a batch satisfy the subquery, with which bindings."""
        begin = perf_counter()
        with self._lock:
            selection = self._select(events)
            self.statistics.events += events.num_rows
            self.statistics.seconds += perf_counter() - begin
        return selection

    def _select(self, events: pa.Table) -> Selection:
        if self.plan.never is not None or not events.num_rows:
            return self._nothing(events.num_rows)
        keys = self._keys.of(events)
        solutions = self._solutions(keys)
        possible = self._present(events)
        if not self.plan.derived:
            possible = self._conditions(events, possible)
        if not self.plan.subquery.bindings and not self.plan.derived:
            holds = solutions.holds[keys.codes]
            return holds if possible is None else holds & possible
        return self._expanded(events, keys.codes, solutions.of_key, possible)

    def _nothing(self, length: int) -> Selection:
        if not self.plan.subquery.bindings:
            return np.zeros(length, np.bool_)
        types = self._types()
        schema = {f"?{n}": term_column([], types[n]).dtype for n in self.plan.subquery.bindings}
        return pl.DataFrame(schema={ROW: pl.Int64(), **schema})

    def _types(self) -> dict[str, ValueType]:
        return {n: self._context.bindings.get(n, ValueType.TERM) for n in self.plan.subquery.bindings}

    def _solutions(self, keys: Keys) -> _Solutions:
        """Those of each key; the same keys as in the batch before need not be looked up one by one."""
        distinct = keys.distinct
        if self._last.keys is distinct and len(distinct) <= self._cache.maxsize:
            self.statistics.keys += len(distinct)
            self.statistics.hits += len(distinct)
        else:
            self._last = _Solutions(distinct, self._looked_up(distinct))
        return self._last

    def _looked_up(self, keys: Sequence[Key]) -> list[list[Solution]]:
        found = [self._cache.get(key) for key in keys]
        missing = [i for i, solutions in enumerate(found) if solutions is None]
        self.statistics.keys += len(keys)
        self.statistics.hits += len(keys) - len(missing)
        self.statistics.misses += len(missing)
        if missing:
            asked = [keys[i] for i in missing]
            scratch = Scratch.of(self._context.knowledge)
            solved = solve(self.plan, self._context.shape.types, scratch, events_of(self.plan, asked))
            for i, key, solutions in zip(missing, asked, solved, strict=True):
                found[i] = self._cache[key] = solutions
        return [solutions or [] for solutions in found]

    def _present(self, events: pa.Table) -> Mask | None:
        masks = [_valid(events.column(name)) for name in self.plan.present if events.column(name).null_count]
        return reduce(np.logical_and, masks) if masks else None

    def _conditions(self, events: pa.Table, possible: Mask | None) -> Mask | None:
        """The conditions that need nothing but columns; null is not true."""
        if not self.plan.conditions:
            return possible
        frame = _columns(self.plan, events)
        true = frame.select(_all_true(self.plan)).to_series().to_numpy()
        return true if possible is None else true & possible

    def _expanded(
        self, events: pa.Table, codes: Codes, solutions: Sequence[list[Solution]], possible: Mask | None
    ) -> Selection:
        """A row per event and solution, conditions applied, projected to the bindings, each distinct one once."""
        rows, places = _pairs(codes, [len(s) for s in solutions], possible)
        solved = self.plan.solved
        flat = [solution for of_key in solutions for solution in of_key]
        frame = pl.DataFrame({ROW: rows, _SOLUTION: places}, schema={ROW: pl.Int64, _SOLUTION: pl.Int64})
        if self.plan.derived:
            frame = self._filtered(events, frame, flat)
            if not self.plan.subquery.bindings:
                mask = np.zeros(events.num_rows, np.bool_)
                mask[frame[ROW].to_numpy()] = True
                return mask
            frame = _once(frame, [solution[: len(solved)] for solution in flat])
        types = self._types()
        bound = {
            f"?{name}": term_column([solution[i] for solution in flat], types[name]).gather(frame[_SOLUTION])
            for i, name in enumerate(solved)
        }
        bound |= {f"?{name}": _series(events.column(column)).gather(frame[ROW]) for name, column in self.plan.copies}
        ordered = {f"?{name}": bound[f"?{name}"] for name in self.plan.subquery.bindings}
        return pl.DataFrame({ROW: frame[ROW], **ordered})

    def _filtered(self, events: pa.Table, frame: pl.DataFrame, flat: Sequence[Solution]) -> pl.DataFrame:
        offset = len(self.plan.solved)
        columns = _columns(self.plan, events)[frame[ROW]]
        derived = {
            f"?{d.name}": term_column([solution[offset + i] for solution in flat], d.type).gather(frame[_SOLUTION])
            for i, d in enumerate(self.plan.derived)
        }
        return frame.filter(columns.with_columns(**derived).select(_all_true(self.plan)).to_series())


def _pairs(codes: Codes, counts: Sequence[int], possible: Mask | None) -> tuple[Codes, Codes]:
    """Per event and solution of its key: the event's row, and the solution's place among all solutions."""
    per_key = np.asarray(counts, np.int64)
    starts = np.concatenate(([0], np.cumsum(per_key)))[:-1]
    per_event = per_key[codes]
    if possible is not None:
        per_event = np.where(possible, per_event, 0)
    rows = np.repeat(np.arange(len(codes)), per_event)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(per_event) - per_event, per_event)
    return rows, starts[codes[rows]] + within


def _once(frame: pl.DataFrame, projected: Sequence[Solution]) -> pl.DataFrame:
    """Solutions that differ in what is projected away only, once per event."""
    numbers = {solution: i for i, solution in enumerate(dict.fromkeys(projected))}
    number = pl.Series([numbers[solution] for solution in projected], dtype=pl.Int64).gather(frame[_SOLUTION])
    return frame.with_columns(number=number).unique(["row", "number"], keep="first", maintain_order=True)


def _all_true(plan: Plan) -> pl.Expr:
    true = reduce(lambda a, b: a & b, (column_expression(c) for c in plan.conditions))
    return true.fill_null(value=False)


def _columns(plan: Plan, events: pa.Table) -> pl.DataFrame:
    return pl.DataFrame({name: _series(events.column(name)) for name in plan.present})


def _series(column: pa.ChunkedArray) -> pl.Series:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    series = pl.from_arrow(column)
    if not isinstance(series, pl.Series):  # pl.from_arrow gives a frame for tables only
        raise TypeError(type(series))
    return series


def _valid(column: pa.ChunkedArray) -> Mask:
    valid: Mask = column.is_valid().to_numpy()
    return valid
