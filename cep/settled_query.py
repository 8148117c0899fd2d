"""A query whose expressions say what becomes of integers that leave 64 bits (docs/semantics.md 2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

import polars as pl
import pyarrow as pa

from ..expressions import companion, group_value, lists_wide, settled
from ..language.nodes import (
    COMPANION,
    Alternative,
    Conjunction,
    Element,
    Group,
    Item,
    Negation,
    Pattern,
    Quantifier,
    Query,
    Timer,
    is_wide,
)
from ..language.nodes import (
    Sequence as Links,
)

__all__ = ["joined_rows", "settled_query", "with_doubles"]


def settled_query(query: Query) -> Query:
    """The same query, once more the same if it is settled already."""
    return replace(
        query,
        items=_items(query.items),
        joins=tuple(map(settled, query.joins)),
        group_by=tuple(map(group_value, query.group_by)),
        after_match=replace(query.after_match, by=tuple((v, group_value(key)) for v, key in query.after_match.by)),
        having=None if query.having is None else settled(query.having),
        pattern=None if query.pattern is None else _pattern(query.pattern),
    )


def _items(items: Sequence[Item]) -> tuple[Item, ...]:
    known = {item.name for item in items}
    found = [replace(i, value=settled(i.value), condition=i.condition and settled(i.condition)) for i in items]
    for item in items:
        name = f"{item.name}{COMPANION}"
        if (is_wide(item.value) or lists_wide(item.value)) and name not in known:
            value = companion(item.value)
            found.append(Item(name, value, None, value.type, item.span, hidden=True))
    return tuple(found)


def _pattern(part: Pattern) -> Pattern:
    match part:
        case Element(quantifier=quantifier):
            return part if quantifier is None else replace(part, quantifier=_quantifier(quantifier))
        case Group(pattern=inner, quantifier=quantifier):
            return replace(part, pattern=_pattern(inner), quantifier=_quantifier(quantifier))
        case Negation() | Timer():
            return part
        case Conjunction(parts=parts) | Links(parts=parts):
            return replace(part, parts=tuple(map(_pattern, parts)))
        case Alternative(branches=branches):
            return replace(part, branches=tuple(map(_pattern, branches)))
        case _:
            assert_never(part)


def _quantifier(quantifier: Quantifier) -> Quantifier:
    return quantifier if quantifier.until is None else replace(quantifier, until=settled(quantifier.until))


def joined_rows(tables: Sequence[pa.Table]) -> pa.Table:
    """Rows of several batches; where an item is a column of doubles in one of them, it is one in all."""
    if len(tables) == 1:
        return tables[0]
    doubles: dict[str, pa.DataType] = {}
    for field in (field for table in tables for field in table.schema):
        if field.type in (pa.float64(), pa.list_(pa.float64())):
            doubles[field.name] = field.type
    return pa.concat_tables([_cast(table, doubles) for table in tables])


def _cast(rows: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    for place, field in enumerate(rows.schema):
        wanted = types.get(field.name, field.type)
        if wanted != field.type:
            rows = rows.set_column(place, field.name, rows[field.name].cast(wanted, safe=False))
    return rows


def with_doubles(rows: pa.Table) -> pa.Table:
    """Rows without companions; an item one of whose integers has left in them is a column of doubles."""
    for name in [name for name in rows.column_names if name.endswith(COMPANION)]:
        doubles, item = rows[name], name.removesuffix(COMPANION)
        rows = rows.drop_columns([name])
        place = rows.schema.get_field_index(item)
        if pa.types.is_list(doubles.type):
            counts = [pl.Series(column).list.len().fill_null(0) for column in (rows[item], doubles)]
            rows = rows if (counts[0] == counts[1]).all() else rows.set_column(place, item, doubles)
        elif doubles.null_count < len(doubles):
            given = pl.Series(rows[item]).cast(pl.Float64)
            both = given.to_frame("a").select(pl.coalesce("a", pl.lit(pl.Series(doubles)))).to_series()
            rows = rows.set_column(place, item, both.to_arrow())
    return rows
