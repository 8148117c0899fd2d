"""The semantic filter of one event variable: events in, those whose semantics hold out, with their bindings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

import numpy as np
import polars as pl
import pyarrow as pa

from ..annotator import EventShape
from ..expressions import POLARS_TYPES
from ..language.nodes import AllOf, AnyOf, Semantics, Source, Subquery
from ..ontology import KnowledgeBase
from .rules import RULES, compile_subquery, plan_context, write_residual_query
from .runtime import ROW, FilterOptions, Selection, SubqueryFilter, SubqueryStatistics, all_of, any_of, as_frame


class SemanticFilter:
    """Selects the events of a source's stream that satisfy its PATHs.

    Compiled once (paper §4.1); a verdict is evaluated once per distinct key, for all keys of a batch that have none in
    one query, and kept (§4.2), unless `options` say otherwise. The knowledge base never changes: when there is a new
    one, there is a new filter.

    Attributes:
        columns: of an event table, those that it looks at.
        options: how the PATHs are evaluated.

    Args:
        source: the event variable, its PATHs and the types of its semantic variables.
        shape: the triples that an event of the stream has.
        knowledge: the knowledge base.
        options: how the PATHs are evaluated; the answer never depends on it.

    Raises:
        QueryTypeError: a PATH that cannot be evaluated with an event in the place of its variable.
    """

    def __init__(self, source: Source, shape: EventShape, knowledge: KnowledgeBase, options: FilterOptions) -> None:
        self.source = source
        self.options = options
        self._subqueries: dict[int, SubqueryFilter] = {}
        if source.semantics is not None:
            context = plan_context(source, shape, knowledge)
            for subquery in _subqueries(source.semantics):
                plan = compile_subquery(subquery, context, RULES if options.compiled else (write_residual_query,))
                self._subqueries[id(subquery)] = SubqueryFilter(plan, context, options)
        self.columns = frozenset[str]().union(*(subquery.columns for subquery in self.subqueries))

    @property
    def subqueries(self) -> tuple[SubqueryFilter, ...]:
        """The subqueries, in the order of the query's text."""
        return tuple(self._subqueries.values())

    def over(self, shape: EventShape, knowledge: KnowledgeBase) -> SemanticFilter:
        """The same filter over another knowledge base, with nothing known yet."""
        return SemanticFilter(self.source, shape, knowledge, self.options)

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
        """
        semantics = self.source.semantics
        if semantics is None:
            return events
        selected = self._evaluate(semantics, events)
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

    def _evaluate(self, semantics: Semantics, events: pa.Table) -> Selection:
        match semantics:
            case Subquery():
                return self._subqueries[id(semantics)].select(events)
            case AllOf(parts):
                return all_of([self._evaluate(part, events) for part in parts])
            case AnyOf(parts):
                return any_of([self._evaluate(part, events) for part in parts])
            case _:
                assert_never(semantics)


def _subqueries(semantics: Semantics) -> Iterator[Subquery]:
    match semantics:
        case Subquery():
            yield semantics
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from _subqueries(part)
        case _:
            assert_never(semantics)
