"""Matches of runs: in output order, once each, for HAVING and AFTER MATCH, and as columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow as pa

from ...expressions import (
    Ints,
    Names,
    accumulator_of,
    aggregate_ranges,
    aggregated_values,
    column_expression,
    mask_of,
    plain_name,
)
from ...language.nodes import (
    AfterMatchKind,
    Aggregate,
    Binding,
    Column,
    Expression,
    Query,
    aggregates_of,
    columns_of,
    structural_key,
)
from ..order import binding_columns
from ..output import Matches, selected_bindings
from .after_match_runs import Standing
from .compiler import tuples_of
from .event_layout import NUMBER, ROW
from .shared_buffer import Path

__all__ = ["Found", "Reporting", "Rows"]

_MOST_CHUNKS = 64


@dataclass(frozen=True, slots=True)
class Found:
    """A match.

    Attributes:
        time: when it became true, in microseconds.
        path: its events, in total order, each with the place of its variable.
    """

    time: int
    path: Path

    def order(self) -> tuple[object, ...]:
        """Its place in the output, but for semantic bindings."""
        numbers = [event[NUMBER] for _, event in self.path]
        return self.time, numbers[-1], numbers[0], -len(numbers), numbers


@dataclass(slots=True)
class Rows:
    """The candidates of one variable that matches may still hold; `begin`: the number of the first row."""

    frame: pl.DataFrame
    begin: int = 0

    def add(self, frame: pl.DataFrame) -> int:
        """More candidates; gives the number of the first."""
        first = self.begin + self.frame.height
        self.frame = pl.concat([self.frame, frame]) if self.frame.height else frame
        return first

    def forget(self, before: int) -> None:
        """Drop what comes before a moment, in microseconds."""
        count = int(np.searchsorted(self.frame["_time"].to_physical().to_numpy(), before, "left"))
        if count:
            self.frame = self.frame[count:]
            self.begin += count
        if self.frame.n_chunks() > _MOST_CHUNKS:
            self.frame = self.frame.rechunk()


class Reporting:
    """Holds matches until all that comes before them in the output is known.

    Args:
        query: the query.
        variables: those that are matched, in order of FROM; a path goes by their places.
    """

    def __init__(self, query: Query, variables: Sequence[str]) -> None:
        self._query, self._variables = query, variables
        self.rows: dict[str, Rows] = {}
        self.found: list[Found] = []
        self.settled: list[Found] = []
        self.standing = Standing(query)
        reported = [*(item.value for item in query.items), *query.group_by]
        self._conditions = [c for item in query.items if (c := item.condition) is not None]
        self._conditions += [] if query.having is None else [query.having]
        expressions = [*reported, *self._conditions]
        found = {structural_key(a): a for e in expressions for a in aggregates_of(e)}
        self._aggregates = dict(zip(found, found.values(), strict=True))
        self._columns = _columns(expressions)
        self._numbers = {mark: f"#{i}" for i, mark in enumerate(found)}
        self._bindings = selected_bindings(query)

    @property
    def names(self) -> Names:
        """Columns are named by variable and column, aggregates by number."""
        return self._name

    def _name(self, node: Column | Binding | Aggregate) -> str:
        return (
            self._numbers[structural_key(node)]
            if isinstance(node, Aggregate)
            else f"{node.variable}.{plain_name(node)}"
        )

    @property
    def size(self) -> int:
        """How many candidates are kept."""
        return sum(rows.frame.height for rows in self.rows.values())

    @property
    def earliest(self) -> int | None:
        """The earliest time of what is not reported yet."""
        return min((found.time for found in self.found), default=None)

    def settle(self, before: int) -> None:
        """Find what stands of the matches that became true before a moment, when none before them will be found."""
        due = [found for found in self.found if found.time < before]
        if not due:
            return
        self.found = [found for found in self.found if found.time >= before] if len(due) < len(self.found) else []
        due = self._in_order(due)
        if self._conditions:
            mask = mask_of(self._frame(due), [column_expression(e, self._name) for e in self._conditions])
            due = [found for found, holds in zip(due, mask, strict=True) if holds]
        if self._query.after_match.kind is not AfterMatchKind.KEEP_ALL:
            places = self.standing.places([found.path for found in due], self._partitions(due), self._variables)
            due = [due[place] for place in places]
        self.settled += due

    def report(self) -> Matches | None:
        """What was settled."""
        due, self.settled = self.settled, []
        if not due:
            return None
        return Matches(self._frame(due), np.array([found.time for found in due], dtype=np.int64), self._events(due))

    def _in_order(self, due: list[Found]) -> list[Found]:
        """In output order, each match once."""
        keys = [found.order() for found in due]
        places = sorted(range(len(due)), key=keys.__getitem__)
        if not any(keys[a] == keys[b] for a, b in pairwise(places)):
            return [due[place] for place in places]
        ties = self._ties(due)
        ordered = sorted(range(len(due)), key=lambda i: (keys[i], ties[i]))
        kept: list[Found] = []
        known: set[object] = set()
        for i in ordered:
            mark = (due[i].time, tuple((variable, event[NUMBER]) for variable, event in due[i].path), ties[i][0])
            if mark not in known:
                known.add(mark)
                kept.append(due[i])
        return kept

    def _ties(self, due: list[Found]) -> list[tuple[object, object]]:
        """What settles the order of matches of the same events: selected bindings, then runs."""
        bindings: list[tuple[object, ...]] = [()] * len(due)
        if self._bindings:
            frame = self._frame(due)
            columns = [c.to_list() for c in binding_columns(frame, self._bindings, self._name)]
            bindings = [tuple((v is not None, v) for v in values) for values in zip(*columns, strict=True)]
        places = range(len(self._variables))
        runs = [[[e[NUMBER] for v, e in found.path if v == place] for place in places] for found in due]
        return list(zip(bindings, runs, strict=True))

    def _partitions(self, due: list[Found]) -> list[tuple[object, ...]]:
        """The values of PARTITION BY, which all events of a match share."""
        if not self._query.partition_by:
            return [()] * len(due)
        found: list[tuple[object, ...]] = [()] * len(due)
        for place, variable in enumerate(self._variables):
            own = [i for i, match in enumerate(due) if match.path[0][0] == place]
            columns = [dict(columns)[variable] for columns in self._query.partition_by]
            rows = [due[i].path[0][1][ROW] for i in own]
            kept = self.rows[variable]
            places = np.array(rows, dtype=np.int64) - kept.begin
            values = tuples_of([kept.frame[column].gather(places) for column in columns])
            for i, value in zip(own, values, strict=True):
                found[i] = value
        return found

    def _events(self, due: list[Found]) -> dict[str, pl.Series]:
        """The ids of every variable's events, match by match."""
        found: dict[str, pl.Series] = {}
        for variable in self._variables:
            rows, offsets = self._flat(due, variable)
            ids = self.rows[variable].frame["_id"].gather(rows)
            if len(rows) == len(due) and (np.diff(offsets) == 1).all():
                found[variable] = ids
            else:
                found[variable] = pl.Series(pa.LargeListArray.from_arrays(pa.array(offsets), ids.to_arrow()))
        return found

    def _flat(self, due: Iterable[Found], variable: str) -> tuple[Ints, Ints]:
        """The rows of a variable's events, match by match, and where each match's begin and end."""
        place, begin = self._variables.index(variable), self.rows[variable].begin
        rows: list[int] = []
        offsets = [0]
        for match in due:
            rows += [event[ROW] - begin for v, event in match.path if v == place]
            offsets.append(len(rows))
        return np.array(rows, dtype=np.int64), np.array(offsets, dtype=np.int64)

    def _frame(self, due: list[Found]) -> pl.DataFrame:
        """The columns and aggregates that items and conditions speak of."""
        columns = [pl.Series("#", np.zeros(len(due), dtype=np.int8))]
        for variable in self._variables:
            named = self._columns.get(variable, {})
            aggregates = [a for a in self._aggregates.values() if a.variable == variable]
            if not named and not aggregates:
                continue
            rows, offsets = self._flat(due, variable)
            frame = self.rows[variable].frame
            single = _single(rows, offsets)
            columns += [frame[plain].gather(single).alias(name) for name, plain in named.items()]
            columns += [_aggregate(a, frame, rows, offsets).alias(self._name(a)) for a in aggregates]
        return pl.DataFrame(columns)


def _columns(expressions: Iterable[Expression]) -> dict[str, dict[str, str]]:
    """Per variable, names in the frame of matches and names among its candidates, of what stands outside aggregates."""
    found: dict[str, dict[str, str]] = {}
    for e in expressions:
        for node in columns_of(e):
            found.setdefault(node.variable, {})[f"{node.variable}.{plain_name(node)}"] = plain_name(node)
    return found


def _single(rows: Ints, offsets: Ints) -> pl.Series:
    """The row of each match's only event; none where it has none, or several."""
    one = np.diff(offsets) == 1
    found = np.zeros(len(one), dtype=np.int64)
    found[one] = rows[offsets[:-1][one]]
    return pl.Series(found, dtype=pl.UInt32).set(pl.Series(~one), None)


def _aggregate(e: Aggregate, frame: pl.DataFrame, rows: Ints, offsets: Ints) -> pl.Series:
    """An aggregate over each match's run."""
    start, end = offsets[:-1], offsets[1:]
    some = np.flatnonzero(end > start)
    values = aggregated_values(e, frame).gather(rows)
    found = aggregate_ranges(e, values, start[some], end[some])
    if len(some) == len(start):
        return found
    place = np.full(len(start), -1, dtype=np.int64)
    place[some] = np.arange(len(some))
    index = pl.Series(np.maximum(place, 0), dtype=pl.UInt32).set(pl.Series(place < 0), None)
    whole = found.gather(index) if len(found) else pl.Series([None] * len(start), dtype=found.dtype)
    of_none = accumulator_of(e).value(None)
    return whole if of_none is None else whole.fill_null(of_none)
