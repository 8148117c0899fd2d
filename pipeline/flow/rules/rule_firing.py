"""A rule as it runs: rows in; calls, changes of contexts and events of other streams out (EStreams §5.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ....annotator import event_prefix
from ....expressions import frame_of
from ....language.nodes import COMPANION, ActionKind, Column, EventRule, Item, Query, RuleAction, ValueType
from .action_calls import CALLS, FiringOrder, order_columns

__all__ = ["PLACE", "RuleFiring", "RulePlace", "with_places"]

CALLED = "calls"
"""What is counted of calls."""
PLACE = "#place"
"""The column of a named query's events, and of the rows of rules ON it, that says in which order its rows come."""
_LAST = 2**31
_DIGITS = 20
_ISO_8601 = "%Y-%m-%dT%H:%M:%S%.fZ"


@dataclass(frozen=True, slots=True)
class RulePlace:
    """Where a rule stands among others: its place, and that of the query whose rows it looks at; -1: of a source."""

    rule: int
    stream: int


def with_places(query: Query) -> Query:
    """The query of a rule that is ON the rows of a query, with the order of these among what it is given."""
    (source,) = query.sources
    if source.stream.event_type is not None or source.stream.emitted:
        return query
    column = Column(source.variable, PLACE, ValueType.INTEGER, query.span)
    place = Item(PLACE, column, None, ValueType.INTEGER, query.span, hidden=True)
    columns = tuple(sorted({*source.columns, PLACE}))
    return replace(query, items=(*query.items, place), sources=(replace(source, columns=columns),))


class RuleFiring:
    """What one rule does for its rows.

    Args:
        query: of the rule.
        rule: what it says.
        now: when it was registered: rows of before call nothing.

    Attributes:
        sampled: the share of the events that stands behind its rows, which its calls say; `None`: all do.
    """

    def __init__(self, query: Query, rule: EventRule, now: datetime | None) -> None:
        self._query, self._rule, self._now = query, rule, now
        self.sampled: float | None = None
        self._calls = [(n, a) for n, a in enumerate(rule.actions) if a.kind is ActionKind.CALL]
        emitted = [n for n, action in enumerate(rule.actions) if action.kind is ActionKind.EMIT]
        changing = [n for n, action in enumerate(rule.actions) if action.kind is ActionKind.CHANGE]
        self._emitting = list(zip(emitted, query.emitting, strict=True)) if emitted else []
        self._deriving = list(zip(changing, query.deriving, strict=True)) if changing else []

    def calls(self, rows: pa.Table, place: RulePlace) -> pa.Table | None:
        """What it calls for rows, as `in_order` takes it; `None`: nothing."""
        if self._now is not None:
            rows = rows.filter(pc.greater_equal(rows["_time"], pa.scalar(self._now, rows["_time"].type)))
        if not self._calls or not rows.num_rows:
            return None
        return pa.concat_tables([self._called(rows, number, action, place) for number, action in self._calls])

    def _called(self, rows: pa.Table, number: int, action: RuleAction, place: RulePlace) -> pa.Table:
        count = rows.num_rows
        columns = {
            "rule": pa.repeat(pa.scalar(self._rule.name, pa.string()), count),
            "_id": pc.binary_join_element_wise(rows["_id"].cast(pa.string()), str(number), "."),
            "action": pa.repeat(pa.scalar(action.target, pa.string()), count),
            "_time": rows["_time"],
            "arguments": _arguments(rows, number, action, self.sampled),
        }
        called, order = pa.table(columns, schema=CALLS), order_columns(self._order(place, number), self._keys(rows))
        for name, column in order.items():
            called = called.append_column(name, column)
        return called

    def done(self, rows: pa.Table, calls: pa.Table | None) -> dict[str, int]:
        """How much of each of its actions it does for rows, of which it calls these."""
        counts = {
            CALLED: (len(self._calls), 0 if calls is None else calls.num_rows),
            "events emitted": (len(self._emitting), len(self._emitting) * rows.num_rows),
            "changes of contexts": (len(self._deriving), len(self._deriving) * rows.num_rows),
        }
        return {what: count for what, (actions, count) in counts.items() if actions}

    def changes(self, rows: pa.Table, place: RulePlace) -> Iterator[tuple[Query, pa.Table, list[FiringOrder]]]:
        """For each change what makes it: the query that would do so by itself, its rows, and where each row stands."""
        for number, query in self._deriving:
            order = self._order(place, number)
            yield (
                query,
                _rows_of(rows, number, query),
                [replace(order, row=row) for row in self._keys(rows).to_pylist()],
            )

    def emitted(self, rows: pa.Table) -> Iterator[tuple[Query, pa.Table]]:
        """For each EMIT the query whose rows its events would be, and the events."""
        for number, query in self._emitting:
            found = _rows_of(rows, number, query)
            prefix, ids = event_prefix(query.output.name), found["_id"].cast(pa.string())
            named = pc.binary_join_element_wise(prefix, ids, f".{number}", "")
            yield query, found.set_column(found.schema.get_field_index("_id"), "_id", named)

    def _order(self, place: RulePlace, action: int) -> FiringOrder:
        rule = self._rule
        priority = _LAST if rule.priority is None else rule.priority
        return FiringOrder(rule.deferred, place.stream, "", priority, place.rule, action)

    def _keys(self, rows: pa.Table) -> pa.ChunkedArray:
        """The row among those of its time: its place in the output of a query, else the id of the event."""
        if PLACE in rows.column_names:
            return pc.utf8_lpad(rows[PLACE].cast(pa.string()), _DIGITS, "0")
        (source,) = self._query.sources
        ids = pc.struct_field(rows["_events"], source.variable)
        return pc.list_element(ids, 0).cast(pa.string())


def _rows_of(rows: pa.Table, number: int, query: Query) -> pa.Table:
    """The rows with the items of one action alone, called as they are there."""
    names = {f"{number}.{item.name}{end}": f"{item.name}{end}" for item in query.items for end in ("", COMPANION)}
    kept = [name for name in rows.column_names if name in names or name.startswith("_")]
    return rows.select(kept).rename_columns([names.get(name, name) for name in kept])


def _arguments(rows: pa.Table, number: int, action: RuleAction, sampled: float | None) -> pa.Array:
    """The arguments of each call as a JSON object, in their order; what is unbound is null, moments are ISO 8601.

    Behind them `_sampled`, where the rows go back to a share of the events only.
    """
    last = [] if sampled is None else [_json(pl.DataFrame({"_sampled": [sampled] * rows.num_rows}))]
    if not action.items and not last:
        return pa.repeat(pa.scalar("{}", pa.string()), rows.num_rows)
    members = [*(_member(rows, f"{number}.{item.name}", item.name) for item in action.items), *last]
    within = pl.concat_str(pl.all(), separator=",")
    text = pl.DataFrame(members).select(pl.concat_str(pl.lit("{"), within, pl.lit("}")))
    return text.to_series().to_arrow().cast(pa.string())


def _member(rows: pa.Table, column: str, name: str) -> pl.Series:
    """`"name":value` of each row; an integer that has left 64 bits is its double."""
    values = frame_of(rows, [column]).rename({column: name})
    if column + COMPANION not in rows.column_names:
        return _json(values)
    doubles = frame_of(rows, [column + COMPANION]).rename({column + COMPANION: name})
    return pl.select(pl.when(doubles[name].is_null()).then(_json(values)).otherwise(_json(doubles))).to_series()


def _json(values: pl.DataFrame) -> pl.Series:
    (value,) = values.get_columns()
    if value.dtype == pl.Datetime:
        values = values.select(pl.all().dt.strftime(_ISO_8601))
    encoded = values.select(pl.struct(pl.all()).struct.json_encode()).to_series()
    return encoded.str.slice(1, encoded.str.len_chars() - 2).alias(value.name)
