"""What is reported of windows: their aggregates, those of which HAVING is true, and how both have changed since.

Rows come in output order (docs/semantics.md 3.14).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from ...expressions import (
    Ints,
    Names,
    aggregate_ranges,
    aggregated_values,
    column_expression,
    column_of,
    in_calendar,
    mask_of,
    plain_name,
)
from ...language.nodes import (
    Aggregate,
    Binding,
    Column,
    ContextWindow,
    Expression,
    Query,
    SlidingWindow,
    ValueType,
    aggregates_of,
    columns_of,
    structural_key,
)
from ..output import MatchFrame, instant_text, key_text, selected_bindings
from ..partitions import WINDOW_COLUMN, PartitionWindows, QuerySharing, is_joint, queries_of
from .previous_reports import PreviousReports
from .window_assigner import WindowClause
from .window_frames import Windows
from .window_order import order_windows

__all__ = ["Reported", "WindowReport", "grouped_by"]


def grouped_by(query: Query) -> list[Expression]:
    """What tells the groups of an aggregation apart: PARTITION BY, and then GROUP BY."""
    source = query.sources[0]
    types = {attribute.name: attribute.type for attribute in source.stream.attributes}
    partition = [
        Column(variable, name, types.get(name, ValueType.IRI), source.span)
        for columns in query.partition_by
        for variable, name in columns
    ]
    return [*partition, *query.group_by]


@dataclass(frozen=True, slots=True)
class Reported:
    """What is reported of some windows.

    Attributes:
        matches: one for each that stands, in output order.
        asking: of each window that was looked at the query that asked; `None`: they are of one query.
    """

    matches: MatchFrame
    asking: Ints | None


class WindowReport:
    """Reports windows; of each group it remembers the latest report where aggregates are compared with it.

    Attributes:
        beyond: whether windows may reach beyond the context window of their candidates.

    Args:
        query: of one variable.
        window: its window.
        windows: of a query in contexts, what is known of their windows.
    """

    def __init__(self, query: Query, window: WindowClause, windows: PartitionWindows | None) -> None:
        self.beyond = query.in_context is not None and bool(query.in_context.required)  # with FOR
        self._source, self._window, self._windows = query.sources[0], window, windows
        self._parted = windows is not None or is_joint(query)
        self._conditions = [e for item in query.items if (e := item.condition) is not None]
        self._conditions += [e for e in (query.having,) if e is not None]
        reported = [item.value for item in query.items]
        found = {structural_key(a): a for e in reported + self._conditions for a in aggregates_of(e)}
        # What is taken of aggregates is so of those of the report before.
        self._changes = [a for a in found.values() if a.argument is not None and aggregates_of(a.argument)]
        self._aggregates = [a for a in found.values() if a not in self._changes]
        self._columns = {key: f"#{number}" for number, key in enumerate(found)}
        self._groups = [(column_expression(e), e.type) for e in grouped_by(query)]
        self._bindings = selected_bindings(query)
        self._previous = PreviousReports()

    @property
    def names(self) -> Names:
        """Candidates have their plain column names, aggregates a number."""
        return self._name

    def _name(self, node: Column | Binding | Aggregate) -> str:
        return self._columns[structural_key(node)] if isinstance(node, Aggregate) else plain_name(node)

    def groups(self, frame: pl.DataFrame) -> list[pl.Series]:
        """What tells the groups of candidates apart, a column for each expression of `grouped_by`."""
        return [column_of(frame, e).alias("group") for e, _ in self._groups]

    def of(
        self, frame: pl.DataFrame, groups: list[pl.Series], windows: Windows, sharing: QuerySharing | None = None
    ) -> Reported:
        """Report windows.

        Args:
            frame: the candidates, in total order.
            groups: theirs, as `groups` gives them.
            windows: over these.
            sharing: of several queries, which ask as one; `None`: one asks.
        """
        aggregates = self._aggregated(frame, windows)
        windows = replace(windows, time=in_calendar(windows.time))
        asking, numbers, queries = None, pl.DataFrame(), queries_of(frame)
        if sharing is not None and queries is not None:
            places, asking = sharing.each(queries[windows.last])
            windows, aggregates = windows.at(places), aggregates[places] if aggregates.width else aggregates
            numbers = sharing.numbers[asking] if sharing.numbers.width else numbers
        inside = self._inside(frame, windows)
        aggregates = aggregates.hstack(self._changed(frame, aggregates, groups, windows, inside))
        standing = np.intersect1d(inside, self._standing(frame, aggregates, windows, numbers), assume_unique=True)
        groups = groups[1:] if self._parted else groups
        chosen = self._ordered(frame, groups, windows, standing)
        aggregates = aggregates[chosen] if aggregates.width else aggregates
        matches = self._matches(frame, groups, windows.at(chosen), aggregates)
        return Reported(matches if asking is None else replace(matches, queries=asking[chosen]), asking)

    def _aggregated(self, frame: pl.DataFrame, windows: Windows) -> pl.DataFrame:
        """The aggregates of each window, but for those that are of the report before."""
        return pl.DataFrame(
            [
                aggregate_ranges(e, _values(e, frame, windows), windows.start, windows.end).alias(self._name(e))
                for e in self._aggregates
            ]
        )

    def _inside(self, frame: pl.DataFrame, windows: Windows) -> Ints:
        """The windows that end with their context windows at the latest."""
        every = np.arange(len(windows.last))
        if self._windows is None or self.beyond or isinstance(self._window, ContextWindow):
            return every
        ends = self._windows.of("end", frame[WINDOW_COLUMN].to_numpy()[windows.last])
        return every[windows.upper <= ends]

    def _changed(
        self, frame: pl.DataFrame, aggregates: pl.DataFrame, groups: list[pl.Series], windows: Windows, inside: Ints
    ) -> list[pl.Series]:
        """Of aggregates, what they were at the report before of the group; of windows that are not reported nothing."""
        if not self._changes:
            return []
        values = [column_expression(e.argument, self._name) for e in self._changes if e.argument is not None]
        rows = aggregates.hstack(frame[windows.last].get_columns())[inside]
        given = [rows.select(value).to_series() for value in values]
        last = windows.last[inside]
        order = np.lexsort((last, windows.time[inside]))
        found = self._previous.before(given, [group[last] for group in groups], order)
        whole = np.full(len(windows.last), -1)
        whole[inside] = np.arange(len(inside))
        return [
            column.gather(np.maximum(whole, 0)).set(pl.Series(whole < 0), None).alias(self._name(e))
            for e, column in zip(self._changes, found, strict=True)
        ]

    def _standing(self, frame: pl.DataFrame, aggregates: pl.DataFrame, windows: Windows, numbers: pl.DataFrame) -> Ints:
        """The windows of which HAVING and the comparisons of the short form are true; `numbers` are each query's."""
        if not self._conditions:
            return np.arange(len(windows.last))
        plain = {plain_name(node) for e in self._conditions for node in columns_of(e)} - {*numbers.columns}
        rows = aggregates.hstack(frame.select(sorted(plain))[windows.last].get_columns()) if plain else aggregates
        rows = rows.hstack(numbers.get_columns())
        return np.flatnonzero(mask_of(rows, [column_expression(e, self._name) for e in self._conditions]))

    def _ordered(self, frame: pl.DataFrame, groups: list[pl.Series], windows: Windows, standing: Ints) -> Ints:
        """Those that stand in output order."""
        of = self._windows
        if of is None:
            bindings = self._bindings if self._source.bindings else None
            return order_windows(windows, standing, frame, groups, bindings)
        numbers = frame[WINDOW_COLUMN].to_numpy()
        return order_windows(windows, standing, frame, groups, self._bindings, lambda rows: of.order(numbers[rows]))

    def _matches(
        self, frame: pl.DataFrame, groups: list[pl.Series], windows: Windows, aggregates: pl.DataFrame
    ) -> MatchFrame:
        """A match for each window, of its last candidate and its aggregates."""
        rows = frame[windows.last].hstack(aggregates.get_columns())
        types = [of_group for _, of_group in self._groups][len(self._groups) - len(groups) :]
        keys = [key_text(group[windows.last], of_group) for group, of_group in zip(groups, types, strict=True)]
        if not isinstance(self._window, SlidingWindow):  # a sliding window follows from its event
            keys += [instant_text(windows.lower), instant_text(windows.upper)]
        events = {self._source.variable: rows["_id"]}
        contexts = None if self._windows is None else rows[WINDOW_COLUMN].to_numpy()
        return MatchFrame(rows, windows.time, events, (windows.lower, windows.upper), keys, windows=contexts)

    def forget(self, ended: Ints) -> None:
        """Forget the reports of groups in context windows that have ended."""
        self._previous.forget(ended, len(self._changes))

    def tables(self) -> Mapping[str, pl.DataFrame]:
        """What it remembers."""
        return {"reports": self._previous.table} if self._changes else {}

    def load(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Go on from what `tables` gave."""
        self._previous.table = tables.get("reports", pl.DataFrame())


def _values(e: Aggregate, frame: pl.DataFrame, windows: Windows) -> pl.Series:
    """What is aggregated, in the order of the windows."""
    values = aggregated_values(e, frame)
    return values if windows.order is None else values[windows.order]
