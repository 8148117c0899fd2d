"""The semantic filter of one event variable: events in, those whose semantics hold out, with their bindings."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import assert_never

import numpy as np
import polars as pl
import pyarrow as pa

from ..annotator import EventShape
from ..errors import CeilingError, QueryTypeError
from ..expressions import POLARS_TYPES, Ints
from ..language import SourceText, Span
from ..language.nodes import AllOf, AnyOf, Semantics, Source, Subquery
from ..ontology import KnowledgeBase
from .rules import RULES, compile_subquery, plan_context, unconnected_variable, write_residual_query
from .runtime import (
    ROW,
    BatchVerdicts,
    ColumnTest,
    FilterOptions,
    Mask,
    Selection,
    SubqueryFilter,
    SubqueryStatistics,
    all_of,
    any_of,
    as_frame,
)


class SemanticFilter:
    """Selects the events of a source's stream that satisfy its PATHs.

    Compiled once (paper §4.1); a verdict is evaluated once per distinct key, for all keys of a batch that have none in
    one query, and kept (§4.2), unless `options` say otherwise. The knowledge base never changes: when there is a new
    one, there is a new filter.

    Attributes:
        columns: of an event table, those that it looks at.
        options: how the PATHs are evaluated.
        shared: what the PATHs say; filters that say the same select the same events of a batch. `None`: they bind
            something, or verdicts are found as events come.

    Args:
        source: the event variable, its PATHs and the types of its semantic variables.
        shape: the triples that an event of the stream has.
        knowledge: the knowledge base.
        options: how the PATHs are evaluated; the answer never depends on it.
        document: the text that the PATHs stand in, for messages.

    Raises:
        QueryTypeError: a PATH that cannot be evaluated with an event in the place of its variable.
    """

    def __init__(
        self,
        source: Source,
        shape: EventShape,
        knowledge: KnowledgeBase,
        options: FilterOptions,
        document: SourceText | None = None,
    ) -> None:
        self.source = source
        self._document = document
        self.options = options
        self._subqueries: dict[int, SubqueryFilter] = {}
        if source.semantics is not None:
            context = plan_context(source, shape, knowledge)
            for subquery in _subqueries(source.semantics):
                plan = compile_subquery(subquery, context, RULES if options.compiled else (write_residual_query,))
                self._subqueries[id(subquery)] = SubqueryFilter(plan, context, options)
        self.columns = frozenset[str]().union(*(subquery.columns for subquery in self.subqueries))
        alike = not source.bindings and all(subquery.shared is not None for subquery in self.subqueries)
        self.shared = None if source.semantics is None or not alike else self._said(source.semantics)

    @property
    def subqueries(self) -> tuple[SubqueryFilter, ...]:
        """The subqueries, in the order of the query's text."""
        return tuple(self._subqueries.values())

    @property
    def single(self) -> SubqueryFilter | None:
        """Its subquery, where it is no more than one; `None`: it is of several, or of none."""
        semantics = self.source.semantics
        return self._subqueries[id(semantics)] if isinstance(semantics, Subquery) else None

    @property
    def conditions(self) -> tuple[ColumnTest, ...]:
        """What its subqueries ask of columns alone."""
        return tuple(asked for subquery in self.subqueries if (asked := subquery.condition) is not None)

    def over(self, shape: EventShape, knowledge: KnowledgeBase) -> SemanticFilter:
        """The same filter over another knowledge base, with nothing known yet."""
        return SemanticFilter(self.source, shape, knowledge, self.options, self._document)

    @property
    def statistics(self) -> tuple[SubqueryStatistics, ...]:
        """Hits, misses and time of each subquery, in the order of the query's text."""
        return tuple(subquery.statistics for subquery in self._subqueries.values())

    def select(self, events: pa.Table) -> pa.Table:
        """The events whose semantics hold.

        Args:
            events: an event table of the source's stream.

        Returns:
            Its rows, in its order, once per distinct solution, with a column `?x` per semantic variable that is used
            outside the PATHs. Without PATHs the table itself.

        Raises:
            CeilingError: a PATH takes too long, or too much memory.
        """
        semantics = self.source.semantics
        if semantics is None:
            return events
        selected = self._evaluate(semantics, lambda subquery: subquery.select(events))
        if isinstance(selected, np.ndarray) and not self.source.bindings:
            return events if selected.all() else events.filter(pa.array(selected))
        frame = as_frame(selected)
        table = events.take(frame[ROW].to_arrow())
        for name, kind in self.source.bindings:
            column = f"?{name}"
            values = (
                frame[column]
                if column in frame.columns
                else pl.repeat(None, len(frame), dtype=POLARS_TYPES[kind], eager=True)
            )
            table = table.append_column(column, values.to_arrow())
        return table

    def holds(self, events: pa.Table, known: BatchVerdicts) -> Mask:
        """Which events of a batch have semantics that hold, found for all of them by the first that is `shared`.

        Args:
            events: all events of the batch.
            known: of the batch.
        """
        if self.source.semantics is None:
            return np.ones(events.num_rows, np.bool_)
        found = self._evaluate(self.source.semantics, lambda subquery: subquery.holds(events, known))
        return found if isinstance(found, np.ndarray) else np.isin(np.arange(events.num_rows), found[ROW].to_numpy())

    def places(self, events: pa.Table, known: BatchVerdicts) -> Ints:
        """Where the events stand of which `holds` says that their semantics hold."""
        if isinstance(self.source.semantics, Subquery):
            return self._subqueries[id(self.source.semantics)].places(events, known)
        return np.flatnonzero(self.holds(events, known))

    def held(self, events: pa.Table, asked: Mask | None, known: BatchVerdicts) -> tuple[int, ...]:
        """Of how many events of a batch each subquery holds, of those that are asked about; `None`: all are."""
        masks = [subquery.holds(events, known) for subquery in self.subqueries]
        return tuple(int(np.count_nonzero(mask if asked is None else mask & asked)) for mask in masks)

    def count(self, events: pa.Table, known: BatchVerdicts, asked: int, held: Sequence[int]) -> None:
        """Count what `holds` has found of a batch.

        Args:
            events: all events of the batch.
            known: of the batch.
            asked: of how many of them, at least one, it was asked.
            held: what `held` gives of these.
        """
        for subquery, holding in zip(self.subqueries, held, strict=True):
            subquery.count(events, known, asked, holding)

    def _said(self, semantics: Semantics) -> Hashable:
        """What PATHs say, wherever they stand."""
        match semantics:
            case Subquery():
                return self._subqueries[id(semantics)].shared
            case AllOf(parts) | AnyOf(parts):
                return type(semantics).__name__, *map(self._said, parts)
            case _:
                assert_never(semantics)

    def _evaluate(self, semantics: Semantics, select: Callable[[SubqueryFilter], Selection]) -> Selection:
        match semantics:
            case Subquery():
                try:
                    return select(self._subqueries[id(semantics)])
                except CeilingError as error:
                    place = None if self._document is None else self._document.place(semantics.span)
                    raise CeilingError(error.message, place=place, hint=error.hint) from error
            case AllOf(parts):
                return all_of([self._evaluate(part, select) for part in parts])
            case AnyOf(parts):
                return any_of([self._evaluate(part, select) for part in parts])
            case _:
                assert_never(semantics)


def check_connected(source: Source, knowledge: KnowledgeBase, document: SourceText | None) -> None:
    """Make sure that no part of a variable's PATHs multiplies the solutions of all events.

    Args:
        source: the event variable and its PATHs.
        knowledge: says how many solutions a part has.
        document: the text that the PATHs stand in.

    Raises:
        QueryTypeError: nothing connects a part with the event, and it has too many solutions.
    """
    for subquery in () if source.semantics is None else _subqueries(source.semantics):
        name = unconnected_variable(subquery, knowledge)
        if name is not None:
            raise QueryTypeError(
                f"nothing in this PATH connects ?{name} with ?{subquery.variable}, and there are many of it",
                place=None if document is None else document.place(_of_variable(name, subquery.span, document.text)),
                hint=f"add a triple that leads from ?{subquery.variable} there; a FILTER compares all of them",
            )


def _of_variable(name: str, span: Span, text: str) -> Span:
    """Where a variable stands first in a part of a text."""
    found = re.compile(rf"[?$]{re.escape(name)}\b").search(text, span.start, span.end)
    return span if found is None else Span(found.start(), found.end())


def _subqueries(semantics: Semantics) -> Iterator[Subquery]:
    match semantics:
        case Subquery():
            yield semantics
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from _subqueries(part)
        case _:
            assert_never(semantics)
