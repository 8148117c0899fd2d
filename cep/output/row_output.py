"""The rows that a query reports: items, `_time`, `_events`, `_window`, `_context`, `_id`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
import pyarrow as pa

from ...expressions import Ints, Names, column_expression, column_of, gives_several, in_calendar, terms
from ...language.nodes import (
    COMPANION,
    Aggregate,
    Binding,
    Item,
    Kind,
    Query,
    ValueType,
    bindings_of,
    negated_variables,
)
from ..partitions import CONTEXT_WINDOWS, NO_START, PartitionWindows, is_shared
from .digest import Seeded, Seeds, seeded_digests, seeds_of

__all__ = [
    "ARROW_TYPES",
    "MatchFrame",
    "RowOutput",
    "group_names",
    "instant_text",
    "key_text",
    "output_schema",
    "reported_schema",
    "row_schema",
    "selected_bindings",
]

_TIMESTAMP = pa.timestamp("us", tz="UTC")
ARROW_TYPES: Mapping[ValueType, pa.DataType] = {
    ValueType.BOOLEAN: pa.bool_(),
    ValueType.INTEGER: pa.int64(),
    ValueType.DOUBLE: pa.float64(),
    ValueType.STRING: pa.string(),
    ValueType.DATETIME: _TIMESTAMP,
    ValueType.DURATION: pa.duration("us"),
    ValueType.IRI: pa.string(),
    ValueType.TERM: pa.string(),
}
"""The columns of values in rows."""
_SEPARATOR = "\x1f"
_WITHIN_RUN = "\x1e"
_UNBOUND = "\x00"
_CONTEXT, _WINDOWS = "_context", CONTEXT_WINDOWS
_OF_CONTEXTS = (_CONTEXT, _WINDOWS)
_SPECIAL = [_SEPARATOR, _UNBOUND, "\\"]


def output_schema(query: Query) -> pa.Schema:
    """The columns of the query's rows: its items, `_time`, `_events`, perhaps `_window` and `_context`, `_id`.

    Of a query that changes a context and is in contexts itself, behind them the numbers of the windows that it lies in.
    """
    items = [pa.field(item.name, _arrow_type(item)) for item in query.items]
    events = pa.struct([pa.field(variable, pa.list_(pa.string())) for variable in _matched(query)])
    window = pa.struct([pa.field("start", _TIMESTAMP), pa.field("end", _TIMESTAMP)])
    between = [pa.field("_window", window)] if query.kind is Kind.AGGREGATION else []
    between += [pa.field(_CONTEXT, pa.list_(pa.string()))] if query.in_context is not None else []
    rest = [pa.field("_time", _TIMESTAMP), pa.field("_events", events), *between, pa.field("_id", pa.string())]
    behind = query.in_context is not None and query.change is not None
    return pa.schema([*items, *rest, *([pa.field(_WINDOWS, pa.list_(pa.int64()))] if behind else [])])


def reported_schema(query: Query) -> pa.Schema:
    """The columns of `output_schema` that rows have where people see them."""
    hidden = {_WINDOWS, *(item.name for item in query.items if item.hidden)}
    return pa.schema([field for field in output_schema(query) if field.name not in hidden])


def _matched(query: Query) -> list[str]:
    """The variables that matches bind: all but those under NOT."""
    absent = negated_variables(query.pattern)
    return [source.variable for source in query.sources if source.variable not in absent]


def _arrow_type(item: Item) -> pa.DataType:
    """LIST gives lists of what it lists; every other item is a single value."""
    match item.value:
        case Aggregate(argument=listed) if listed is not None and gives_several(item.value):
            return pa.list_(ARROW_TYPES[listed.type])
        case _:
            return ARROW_TYPES[item.type]


def group_names(query: Query) -> list[str]:
    """The columns that OUTPUT tells groups apart by; without GROUP BY there is one column and one group."""
    if query.output_rate is None:
        return []
    return [f"#group{i}" for i in range(max(1, len(query.group_by)))]


def row_schema(query: Query) -> pa.Schema:
    """The columns of `output_schema`, and behind them those of `group_names`."""
    types = [ARROW_TYPES[e.type] for e in query.group_by] or [pa.int64()]
    fields = [pa.field(name, of) for name, of in zip(group_names(query), types, strict=False)]
    return pa.schema([*output_schema(query), *fields])


@dataclass(frozen=True, slots=True)
class MatchFrame:
    """What an operator found, in output order.

    Attributes:
        frame: the columns that the items are computed from.
        time: when each match became true, in microseconds.
        events: per variable, the id of its event, null: it is bound to none, or the list of the ids of its run.
        window: start and end of each row's window, for aggregate rows.
        keys: what else tells rows of the same events apart, as text: group, window. (Selected semantic bindings do
            too; they are taken from `frame`.)
        densest: of what was found elsewhere, how many matches became true with one event, at the most.
        windows: of a query in contexts, the context window of each match: the same match in several is one row.
        queries: of several queries, the number of each match's.
    """

    frame: pl.DataFrame
    time: Ints
    events: Mapping[str, pl.Series]
    window: tuple[Ints, Ints] | None = None
    keys: Sequence[pl.Series] = ()
    densest: int = 0
    windows: Ints | None = None
    queries: Ints | None = None

    def pieces(self, size: int) -> Iterator[MatchFrame]:
        """The same, at most so many at a time; one piece at least."""
        for start in range(0, max(len(self.time), 1), max(size, 1)):
            yield self.at(slice(start, start + size))

    def at(self, places: slice | Ints) -> MatchFrame:
        """Some of them."""
        events = {v: ids[places] for v, ids in self.events.items()}
        window = None if self.window is None else (self.window[0][places], self.window[1][places])
        windows = None if self.windows is None else self.windows[places]
        queries = None if self.queries is None else self.queries[places]
        keys = [key[places] for key in self.keys]
        return MatchFrame(self.frame[places], self.time[places], events, window, keys, windows=windows, queries=queries)

    @staticmethod
    def joined(parts: Sequence[MatchFrame]) -> MatchFrame:
        """The matches of several, none of which is of windows, one behind the other."""
        if len(parts) == 1:
            return parts[0]
        events = {v: pl.concat([part.events[v] for part in parts]) for v in parts[0].events}
        frame = pl.concat([part.frame for part in parts])
        time, of = np.concatenate([part.time for part in parts]), [p.windows for p in parts if p.windows is not None]
        keys = [pl.concat(of_key) for of_key in zip(*(part.keys for part in parts), strict=True)]
        return MatchFrame(frame, time, events, keys=keys, windows=np.concatenate(of) if of else None)


@dataclass(slots=True)
class RowOutput:
    """Builds rows; `names` says where `MatchFrame.frame` holds the values of columns, bindings and aggregates.

    Attributes:
        repeats: whether several matches may be one row, which is reported once.
    """

    query: Query
    names: Names
    contexts: PartitionWindows | None = None
    _schema: pa.Schema = field(init=False)
    _variables: list[str] = field(init=False)
    _items: dict[str, pl.Expr] = field(init=False)
    _groups: dict[str, pl.Expr] = field(init=False)
    _seeds: Seeds = field(init=False)
    _bindings: dict[str, Binding] = field(init=False)
    _grouped: bool = field(init=False)
    repeats: bool = field(init=False)

    def __post_init__(self) -> None:
        self._schema = row_schema(self.query)
        self._variables = _matched(self.query)
        groups = [column_expression(e, self.names) for e in self.query.group_by] or [pl.lit(0, pl.Int64)]
        self._groups = dict(zip(group_names(self.query), groups, strict=False))
        self._items = {item.name: self._item(item) for item in self.query.items}
        self._seeds = seeds_of(self.query.identity)
        self._bindings = {self.names(b): b for b in selected_bindings(self.query)}
        # Solutions that differ only in what is not selected give the same row, which is reported once.
        self._grouped = is_shared(self.query)
        # The windows of one context do not overlap, so what lies in one of them lies in no other.
        contexts = () if self.query.in_context is None else self.query.in_context.contexts
        several = len(contexts) > 1 and self.query.kind is not Kind.AGGREGATION and not self._grouped
        bindings = sum(len(source.bindings) + len(source.window_attributes) for source in self.query.sources)
        self.repeats = several or bindings > len(self._bindings)

    def _item(self, item: Item) -> pl.Expr:
        value = column_expression(item.value, self.names)
        if item.value.type is not ValueType.TERM:
            return value
        if not isinstance(item.value, Aggregate) or not gives_several(item.value):
            return terms.text(value)
        of_terms = item.value.argument is not None and item.value.argument.type is ValueType.TERM
        return value.list.eval(terms.text(pl.element())) if of_terms else value

    def rows(self, matches: MatchFrame, seeds: Sequence[Seeds] = ()) -> pa.Table:
        """The output table of the matches, of `row_schema`.

        Args:
            matches: of one query; or of several, query by query, for which nothing is told apart but their items.
            seeds: of several queries, what tells the digests of each apart.
        """
        if not len(matches.time):
            return self._schema.empty_table()
        items = self._values(matches, self._items)
        groups = self._values(matches, self._groups)
        types = zip(self.query.items, self._schema.types, strict=False)
        columns = [items[item.name].to_arrow().cast(of) for item, of in types]
        columns.append(_timestamps(matches.time))
        events = {variable: matches.events[variable] for variable in self._variables}
        columns.append(self._events(events))
        if matches.window is not None:
            start, end = matches.window
            columns.append(pa.StructArray.from_arrays([_timestamps(start), _timestamps(end)], ["start", "end"]))
        columns.append(self._digests(matches, events, groups, seeds))
        columns += [groups[name].to_arrow().cast(self._schema.field(name).type) for name in self._groups]
        if self.contexts is not None and matches.windows is not None:
            plain = pa.Table.from_arrays(columns, names=[n for n in self._schema.names if n not in _OF_CONTEXTS])
            return self._in_contexts(plain, matches.windows, self.contexts)
        rows = pa.Table.from_arrays(columns, schema=self._schema)
        return _without_repeats(rows) if self.repeats else rows

    def _in_contexts(self, rows: pa.Table, windows: Ints, contexts: PartitionWindows) -> pa.Table:
        """Rows of matches in single context windows, or in groups of them: each once, beside all that it lies in."""
        if self._grouped:
            groups = pa.array(contexts.names_of_groups(), self._schema.field(_CONTEXT).type)
            names = groups.take(pa.array(windows))
            return rows.add_column(self._schema.get_field_index(_CONTEXT), _CONTEXT, names)
        names = pa.array(contexts.columns["context"], pa.string()).take(pa.array(contexts.places(windows)))
        added = {_CONTEXT: _single(names), _WINDOWS: _single(pa.array(windows))}
        ids = pl.Series(rows["_id"])
        if self.repeats and ids.n_unique() < len(ids):
            rows = rows.filter(ids.is_first_distinct().to_arrow())
            of = pl.DataFrame({"id": ids, _CONTEXT: pl.Series(names), _WINDOWS: windows})
            lists = of.group_by("id", maintain_order=True).agg(pl.col(_CONTEXT, _WINDOWS).unique().sort())
            added = {name: lists[name].to_arrow() for name in _OF_CONTEXTS}
        columns = [added[f.name].cast(f.type) if f.name in added else rows[f.name] for f in self._schema]
        return pa.Table.from_arrays(columns, schema=self._schema)

    @staticmethod
    def _values(matches: MatchFrame, expressions: Mapping[str, pl.Expr]) -> pl.DataFrame:
        if all(e.meta.is_column() for e in expressions.values()):
            return pl.DataFrame([column_of(matches.frame, e).alias(name) for name, e in expressions.items()])
        values = matches.frame.select([e.alias(name) for name, e in expressions.items()])
        if values.height != len(matches.time):  # only constants
            return pl.concat([values] * len(matches.time))
        return values

    def _events(self, events: Mapping[str, pl.Series]) -> pa.StructArray:
        lists = []
        for ids in events.values():
            if ids.dtype == pl.List:
                lists.append(ids.to_arrow().cast(pa.list_(pa.string())))
                continue
            texts = ids.to_arrow().cast(pa.string())
            behind = np.cumsum(texts.is_valid().to_numpy(zero_copy_only=False), dtype=np.int32)
            offsets = pa.array(np.append(np.int32(0), behind))
            lists.append(pa.ListArray.from_arrays(offsets, texts.drop_null()))
        return pa.StructArray.from_arrays(lists, list(events))

    def _digests(
        self, matches: MatchFrame, events: Mapping[str, pl.Series], groups: pl.DataFrame, seeds: Sequence[Seeds]
    ) -> pa.Array:
        """The digest of ids, keys and selected bindings, separated by U+001F, seeded with the query.

        The query is known by its name, without one by its normalised text. The ids of a run are separated by U+001E, so
        that a run of one event is no different from the event.
        """
        ids = [s.list.join(_WITHIN_RUN) if s.dtype == pl.List else _filled(s, "") for s in events.values()]
        bindings = [key_text(matches.frame[column], b.type) for column, b in self._bindings.items()]
        keys = [*ids, *matches.keys, *bindings]
        if self.query.kind is Kind.AGGREGATION:
            keys += self._of_context(matches)
        else:  # the kernel of aggregates gives its groups
            keys += [key_text(s, e.type) for s, e in zip(groups, self.query.group_by, strict=False)]
        runs = [Seeded(len(matches.time), self._seeds)]
        if matches.queries is not None:
            counts = np.bincount(matches.queries, minlength=len(seeds)).tolist()
            runs = [Seeded(count, of_query) for count, of_query in zip(counts, seeds, strict=True) if count]
        return seeded_digests([_filled(key, _UNBOUND) for key in keys], _SEPARATOR, runs)

    def _of_context(self, matches: MatchFrame) -> list[pl.Series]:
        """What tells apart the rows of an aggregate in several context windows: context and start."""
        if self.contexts is None or matches.windows is None:
            return []
        names = pl.Series(self.contexts.names(matches.windows), dtype=pl.String)
        return [names, instant_text(self.contexts.of("start", matches.windows))]


def _single(values: pa.Array) -> pa.Array:
    """Lists of one value each."""
    return pa.ListArray.from_arrays(np.arange(len(values) + 1, dtype=np.int32), values)


def _filled(texts: pl.Series, nothing: str) -> pl.Series:
    return texts.fill_null(nothing) if texts.null_count() else texts


def selected_bindings(query: Query) -> tuple[Binding, ...]:
    """The semantic variables that the items speak of, outside aggregates, in order and once each.

    Also the keys of a change of contexts: rows that change other partitions are other rows. And the doubles in place of
    integers of windows that have left 64 bits.
    """
    keys = () if query.change is None else query.change.keys
    shown = [i for i in query.items if not i.hidden or i.name in keys or i.name.endswith(COMPANION)]
    found = [binding for item in shown for binding in bindings_of(item.value)]
    return tuple({(binding.variable, binding.name): binding for binding in found}.values())


def _without_repeats(rows: pa.Table) -> pa.Table:
    ids = pl.Series(rows["_id"])
    first = ids.is_first_distinct()
    return rows if first.all() else rows.filter(first.to_arrow())


def instant_text(moments: Ints) -> pl.Series:
    """Microseconds as text for digests; `!`: there is no such moment."""
    unbound = moments == NO_START
    texts = pl.Series(moments).cast(pl.String)
    if not unbound.any():
        return texts
    return pl.Series(["!"]).new_from_index(0, len(texts)).zip_with(pl.Series(unbound), texts)


def key_text(series: pl.Series, of: ValueType) -> pl.Series:
    """A group's or binding's value as text for digests; text of the user's cannot imitate a separator."""
    text = series.to_frame("value").select(terms.lexical_of(pl.col("value"), of)).to_series()
    if of in (ValueType.STRING, ValueType.TERM) and text.str.contains_any(_SPECIAL).any():
        text = text.str.replace_all("[\x00\x1f\\\\]", "\\\\$0")
    return text


def _timestamps(times: Ints) -> pa.Array:
    """Time stamps; a window that begins or ends beyond the calendar is cut to it, one without a beginning has none."""
    endless = times == NO_START
    return pa.array(in_calendar(times), mask=endless if endless.any() else None).view(_TIMESTAMP)
