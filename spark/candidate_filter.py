"""PATHs and FILTERs over the events of one stream, without a query around them; no Spark."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ..cep import apply_filters
from ..errors import QueryTypeError
from ..language.nodes import Kind, Query, uses_bindings
from ..pipeline import Catalog
from ..semfilter import SemanticFilter, check_connected

__all__ = ["CandidateFilter"]

_PLACE = "#place"


class CandidateFilter:
    """Keeps the events of a stream that clauses select.

    Args:
        project: of the stream.
        stream: its name.
        clauses: PATHs and FILTERs, as behind FROM, of the event variable `?e`.

    Raises:
        QuerySyntaxError, QueryTypeError: they are none, with the way out.
    """

    def __init__(self, project: Catalog, stream: str, clauses: str) -> None:
        text = f"SELECT ?e._time AS time FROM (?e, {stream})\n{clauses}"  # noqa: S608 - χ-CEP, which no database sees
        (query, *others) = project.compile(text, source="filter")
        if others or not _is_plain(query):
            raise QueryTypeError(
                "a filter is made of PATH and FILTER alone", hint="give whole queries to kaicep.spark.matches"
            )
        (self._source,) = query.sources
        check_connected(self._source, project.knowledge, query.document)
        shape = project.shape(self._source.stream)
        self._paths = SemanticFilter(self._source, shape, project.knowledge, project.options, query.document)

    def select(self, events: pa.Table) -> pa.Table:
        """The events that are candidates, each once, in their order."""
        before = [each for each in self._source.filters if not uses_bindings(each)]
        behind = [each for each in self._source.filters if uses_bindings(each)]
        numbered = events.append_column(_PLACE, pa.array(np.arange(events.num_rows)))
        left = apply_filters(self._paths.select(apply_filters(numbered, before)), behind)
        return events.take(pa.array(np.unique(left[_PLACE].to_numpy())))


def _is_plain(query: Query) -> bool:
    """Whether a query does nothing but select events."""
    parts = (query.name, query.rule, query.change, query.in_context, query.limit, query.output_rate, query.bounds.span)
    plain = not query.distinct and not query.windows and not any(part is not None for part in parts)
    return query.kind is Kind.SELECTION and plain
