"""The events behind rows: what is drawn when matches are to be seen in the values they were found in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from ...annotator import AnnotatedBatch, Annotator
from ...language.nodes import Column, Query, ValueType, columns_of

__all__ = ["EventSeries", "series_by_variable"]

_NUMERIC = (ValueType.DOUBLE, ValueType.INTEGER, ValueType.BOOLEAN)


@dataclass(frozen=True, slots=True)
class EventSeries:
    """The events of one stream as a variable of a query sees them.

    Attributes:
        stream: its name.
        table: the events: `_time`, `_id`, a column per attribute.
        attributes: the numeric ones, those that the query speaks of first.
        identity: the attributes that tell whose values they are: a sensor's name, an individual.
        units: attribute → the IRI of its unit, where it has one.
    """

    stream: str
    table: pa.Table
    attributes: tuple[str, ...]
    identity: tuple[str, ...]
    units: Mapping[str, str]


def series_by_variable(
    query: Query, annotators: Mapping[str, Annotator], streams: Mapping[str, AnnotatedBatch]
) -> dict[str, EventSeries]:
    """By variable the events of its stream; variables over the rows of other queries have none.

    Args:
        query: whose variables.
        annotators: of the source streams.
        streams: the events of those that were read.
    """
    spoken = dict.fromkeys((column.variable, column.name) for column in _columns(query))
    found = {}
    for source in query.sources:
        name = source.stream.name
        if name not in streams or name not in annotators:
            continue
        numeric = [a.name for a in source.stream.attributes if a.type in _NUMERIC]
        first = [column for variable, column in spoken if variable == source.variable and column in numeric]
        units = {a.name: a.unit for a in source.stream.attributes if a.unit is not None}
        order = tuple(dict.fromkeys([*first, *numeric]))
        found[source.variable] = EventSeries(name, streams[name].events, order, _identity(annotators[name]), units)
    return found


def _columns(query: Query) -> Iterator[Column]:
    """The attributes that a query speaks of: in its items, in FILTERs, in conditions between events."""
    expressions = [item.value for item in query.items]
    expressions += [condition for source in query.sources for condition in source.filters]
    expressions += query.joins
    for expression in expressions:
        yield from (column for column in columns_of(expression) if isinstance(column, Column))


def _identity(annotator: Annotator) -> tuple[str, ...]:
    annotation = annotator.annotation
    identity = tuple(name for name in annotation.identity if name != annotation.time)
    return identity or tuple(a.name for a in annotation.attributes if a.linkage)
