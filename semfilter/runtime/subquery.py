"""One semantic subquery at run time: keys of the batch → verdicts, known or evaluated → selection."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from threading import Lock
from time import perf_counter
from typing import NamedTuple, cast

import numpy as np
import polars as pl
import pyarrow as pa

from ...errors import CeilingError
from ...expressions import Ints, Threshold, column_expression, threshold_of
from ...language.nodes import Expression
from ..plan import Plan, PlanContext
from ..term_values import term_column
from .batch_verdicts import BatchVerdicts, condition_key
from .compiled_filter import CompiledFilter
from .evaluate import Solution
from .event_selection import ROW, Mask, Selection, events_of
from .filter_options import FilterOptions
from .keys import Codes, Key
from .materialised_verdicts import MaterialisedLookup, MaterialisedVerdicts
from .solution_columns import PLACE, SolutionColumns
from .statistics import KeyCount, SubqueryStatistics
from .verdict_cache import VerdictCache

COUNTS = 3
"""So many numbers are counted of a subquery with each batch."""
_TRUE = pl.lit(True)  # noqa: FBT003 - a value


class ColumnTest(NamedTuple):
    """What a subquery asks of columns alone.

    Attributes:
        said: what it says, as `BatchVerdicts` knows it.
        conditions: all of which have to be true.
        test: the same, true or false of each event.
        columns: those that it looks at.
        threshold: the same, where it is one; `None`: it is not.
    """

    said: Hashable
    conditions: tuple[Expression, ...]
    test: pl.Expr
    columns: tuple[str, ...]
    threshold: Threshold | None


class SubqueryFilter:
    """Applies one subquery to batches of events; its state is the cache and the statistics.

    Attributes:
        plan: the compiled subquery.
        compiled: what gives the verdicts, shared with equal subqueries; `None`: the plan is unsatisfiable.
        columns: of an event table, those that it looks at.
        shared: what subqueries say whose verdicts are the same mask over a batch, known ahead for all individuals;
            `None`: it binds something, or keys are evaluated as they come.

    Args:
        plan: the compiled subquery.
        context: knowledge and types of the bindings.
        options: how keys are evaluated and kept.
    """

    def __init__(self, plan: Plan, context: PlanContext, options: FilterOptions) -> None:
        self.plan = plan
        self.columns = _columns_of(plan)
        self._types = {name: context.type_of(name) for name in plan.subquery.bindings}
        self._condition = _condition(plan)
        self._threshold = threshold_of(plan.conditions[0]) if len(plan.conditions) == 1 else None
        self._conditions_said = tuple(map(condition_key, plan.conditions))
        self._most = options.rows
        self._statistics = SubqueryStatistics()
        self._counts = KeyCount()
        self.compiled: CompiledFilter | None = None
        self._cache: VerdictCache | None = None
        self._lookup: VerdictCache | MaterialisedLookup | None = None
        if plan.residual is not None:
            self.compiled = CompiledFilter.of(plan.residual, context.knowledge, options)
            self._cache = VerdictCache(self.compiled, options, self._statistics, self._counts)
            materialised = self.compiled.materialised
            self._lookup = self._cache
            if materialised is not None:
                self._lookup = MaterialisedLookup(materialised, self._statistics, self._counts)
        self._lock = Lock()
        self._counted = np.zeros(COUNTS, dtype=np.int64)
        ahead = isinstance(self._lookup, MaterialisedLookup)
        self.shared = _said(plan, self.compiled) if ahead else None

    @property
    def statistics(self) -> SubqueryStatistics:
        """What it has cost so far, and of how much it holds."""
        events, held, keys = self._counted.tolist()
        own = self._statistics
        all_counted = replace(own, events=own.events + events, held=own.held + held)
        return self._counts.counted(replace(all_counted, keys=own.keys + keys, hits=own.hits + keys))

    @property
    def ahead(self) -> MaterialisedVerdicts | None:
        """Its verdicts by individual, where they are known ahead, of one column alone, and bind nothing."""
        found = None if self.shared is None or self.compiled is None else self.compiled.materialised
        return found if found is not None and len(found.columns) == 1 else None

    def count_in(self, table: Ints, row: int) -> None:
        """Go on counting in a row of a table, where others count for many at once.

        Args:
            table: `COUNTS` numbers for each of many: events it was asked about, those it holds of, verdicts ready.
            row: the number of its row.
        """
        table[row] = self._counted
        self._counted = table[row]

    def is_counted_in(self, table: Ints) -> bool:
        """Whether it counts in this table."""
        return self._counted.base is table

    def note(self, events: pa.Table, known: BatchVerdicts) -> None:
        """Note whose verdicts were looked for in a batch, as `count` does."""
        with self._lock:
            cast("MaterialisedLookup", self._lookup).note(events, known)

    def known(self) -> dict[Key, list[Solution]]:
        """The solutions in the cache, by key."""
        with self._lock:
            return {} if self._cache is None else self._cache.known()

    def carry_on(self, solutions: Mapping[Key, list[Solution]], statistics: SubqueryStatistics) -> None:
        """Take solutions that are known already, and go on counting."""
        with self._lock:
            if self._cache is not None:
                self._cache.learn(solutions)
                self._counts.note(list(solutions), np.array([bool(found) for found in solutions.values()], np.bool_))
            self._statistics.add(statistics)

    def evaluate(self, keys: Sequence[Key]) -> list[list[Solution]]:
        """The solutions of keys by SPARQL, whatever is known already."""
        return [[] for _ in keys] if self.compiled is None else self.compiled.evaluate(keys)

    def select(self, events: pa.Table) -> Selection:
        """Which events of a batch satisfy the subquery, with which bindings."""
        began = perf_counter()
        with self._lock:
            selection = self._select(events)
            self._statistics.events += events.num_rows
            self._statistics.held += events_of(selection)
            self._statistics.seconds += perf_counter() - began
        return selection

    def holds(self, events: pa.Table, known: BatchVerdicts) -> Mask:
        """Which events of a batch satisfy the subquery, found for all of them by the first that is `shared`.

        Args:
            events: all events of the batch.
            known: of the batch.
        """
        lookup = cast("MaterialisedLookup", self._lookup)

        def both() -> Mask:
            began = perf_counter()
            holds = known.mask(self.compiled, lambda: lookup.holds(events, known))
            possible = self._conditions(events, self._required(events), known)
            self._statistics.seconds += perf_counter() - began
            return holds if possible is None else holds & possible

        return known.mask(self.shared, both)

    def places(self, events: pa.Table, known: BatchVerdicts) -> Codes:
        """Where those events stand: conditions are looked at of no others than those of which the rest holds."""
        began = perf_counter()
        places = self.places_of_individuals(events, known)
        possible = self._conditions(events, self._required(events), known)
        self._statistics.seconds += perf_counter() - began
        return places if possible is None else places[possible[places]]

    def places_of_individuals(self, events: pa.Table, known: BatchVerdicts) -> Codes:
        """Where those events stand whose individuals it holds of, whatever is asked of their columns."""
        lookup = cast("MaterialisedLookup", self._lookup)
        return known.places(self.compiled, lambda: known.mask(self.compiled, lambda: lookup.holds(events, known)))

    def count(self, events: pa.Table, known: BatchVerdicts, asked: int, held: int) -> None:
        """Count what `holds` has found of a batch.

        Args:
            events: all events of the batch.
            known: of the batch.
            asked: of how many of them it was asked, at least one.
            held: of how many of these it holds.
        """
        with self._lock:
            cast("MaterialisedLookup", self._lookup).count(events, known)
            self._statistics.events += asked
            self._statistics.held += held

    def _select(self, events: pa.Table) -> Selection:
        if self._lookup is None or not events.num_rows:
            return self._nothing(events.num_rows)
        codes, verdicts = self._lookup.verdicts(events)
        possible = self._required(events)
        if not self.plan.derived:
            possible = self._conditions(events, possible, BatchVerdicts())
        if not self.plan.subquery.bindings and not self.plan.derived:
            holds = verdicts.holds[codes]
            return holds if possible is None else holds & possible
        return self._expanded(events, codes, verdicts, possible)

    def _nothing(self, length: int) -> Selection:
        if not self.plan.subquery.bindings:
            return np.zeros(length, np.bool_)
        schema = {f"?{n}": term_column([], self._types[n]).dtype for n in self.plan.subquery.bindings}
        return pl.DataFrame(schema={ROW: pl.Int64(), **schema})

    def _required(self, events: pa.Table) -> Mask | None:
        masks = [_valid(events.column(name)) for name in self.plan.required if events.column(name).null_count]
        return reduce(np.logical_and, masks) if masks else None

    @property
    def condition(self) -> ColumnTest | None:
        """What is asked of columns alone; `None`: nothing."""
        if not self.plan.conditions:
            return None
        said = "PATH", self._conditions_said
        return ColumnTest(said, self.plan.conditions, self._condition, self.plan.condition_columns, self._threshold)

    def _conditions(self, events: pa.Table, possible: Mask | None, known: BatchVerdicts) -> Mask | None:
        """The conditions, which need nothing but columns; null is not true."""
        if not self.plan.conditions:
            return possible

        def ask() -> Mask:
            return _condition_frame(self.plan, events).select(self._condition).to_series().to_numpy()

        true = known.mask(("PATH", self._conditions_said), ask)
        return true if possible is None else true & possible

    def _expanded(self, events: pa.Table, codes: Codes, verdicts: SolutionColumns, possible: Mask | None) -> Selection:
        """A row per event and solution, conditions applied, projected to the bindings, each distinct one once."""
        self._check(verdicts.count(codes, possible))
        frame = verdicts.expanded(codes, possible)
        if self.plan.derived:
            frame = self._filtered(events, frame, verdicts)
            if not self.plan.subquery.bindings:
                mask = np.zeros(events.num_rows, np.bool_)
                mask[frame[ROW].to_numpy()] = True
                return mask
        copied = {f"?{name}": column for name, column in self.plan.copies}
        bound = {}
        for name in (f"?{binding}" for binding in self.plan.subquery.bindings):
            if name in copied:
                bound[name] = _series(events.column(copied[name])).gather(frame[ROW])
            else:
                bound[name] = verdicts.columns[name].gather(frame[PLACE])
        return pl.DataFrame({ROW: frame[ROW], **bound})

    def _check(self, solutions: int) -> None:
        """Ask whether the events of a batch may have so many solutions, before there is a row for each."""
        if solutions > self._most:
            raise CeilingError(
                f"this PATH has more than {self._most} solutions for the events of one batch",
                hint="use fewer of its variables outside of it; or raise rows_per_batch in [engine]",
            )

    def _filtered(self, events: pa.Table, frame: pl.DataFrame, verdicts: SolutionColumns) -> pl.DataFrame:
        """The solutions that satisfy the conditions; those that differ in what is projected away only, once."""
        columns = _condition_frame(self.plan, events)[frame[ROW]]
        derived = {f"?{d.name}": verdicts.columns[f"?{d.name}"].gather(frame[PLACE]) for d in self.plan.derived}
        frame = frame.filter(columns.with_columns(**derived).select(self._condition).to_series())
        if verdicts.numbers is None:
            return frame
        number = verdicts.numbers.gather(frame[PLACE])
        return frame.with_columns(number=number).unique([ROW, "number"], keep="first", maintain_order=True)


def _said(plan: Plan, compiled: CompiledFilter | None) -> Hashable | None:
    if plan.subquery.bindings or plan.derived:
        return None
    return compiled, plan.required, tuple(map(condition_key, plan.conditions))


def _columns_of(plan: Plan) -> frozenset[str]:
    found = {*plan.required, *plan.condition_columns, *(column for _, column in plan.copies)}
    if plan.residual is not None:
        found |= {name for part in plan.residual.key for name in (part.column, part.individual) if name is not None}
        found |= {"_id"} if plan.residual.identified else set()
    return frozenset(found)


def _condition(plan: Plan) -> pl.Expr:
    """All conditions together; null is not true."""
    return reduce(lambda a, b: a & b, map(column_expression, plan.conditions), _TRUE).fill_null(value=False)


def _condition_frame(plan: Plan, events: pa.Table) -> pl.DataFrame:
    return pl.DataFrame({name: _series(events.column(name)) for name in plan.condition_columns})


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
