"""Events that rules emit, as tables with the columns of their stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from ....cep.output import ARROW_TYPES
from ....language.nodes import StreamType, is_individual

__all__ = ["event_types", "fitted", "united"]

EventTypes = Mapping[str, pa.DataType]
"""The columns of a stream's events beside `_time` and `_id`."""


def event_types(streams: Iterable[StreamType]) -> EventTypes:
    """The columns of a stream, as all that read it know it."""
    found: dict[str, pa.DataType] = {}
    for stream in streams:
        for attribute in stream.attributes:
            if attribute.name != "_time":
                found[attribute.name] = ARROW_TYPES[attribute.type]
            if is_individual(attribute) and attribute.property is not None:
                found[attribute.property] = pa.string()
    return found


def fitted(events: pa.Table, types: EventTypes) -> pa.Table:
    """Emitted events with the columns of their stream; what they do not say is null."""
    columns = {name: events[name] for name in ("_time", "_id")}
    for name, type_ in types.items():
        known = name in events.column_names
        columns[name] = events[name].cast(type_) if known else pa.nulls(events.num_rows, type_)
    return pa.table(columns)


def united(tables: Sequence[pa.Table]) -> pa.Table:
    """Events of one stream; of those of sources, dictionaries become strings."""
    if len(tables) == 1:
        return tables[0]
    return pa.concat_tables([_decoded(table) for table in tables], promote_options="permissive")


def _decoded(table: pa.Table) -> pa.Table:
    """Dictionaries of strings as strings: those of several batches are several."""
    for place, column in enumerate(table.schema):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(place, column.name, table[column.name].cast(column.type.value_type))
    return table
