"""What a plot of rows shows: lines of values over time, the events of matches in them, and their stretches of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from ...errors import PipelineError, did_you_mean
from ..sinks import value_text
from .event_series import EventSeries

__all__ = ["Line", "Panel", "panels_of_matches"]

_MOST_LINES = 8
_MOST_PANELS = 4


@dataclass(frozen=True, slots=True)
class Line:
    """Values over time.

    Attributes:
        label: whose they are.
        points: columns `time` timestamp and `value` double, in order of time.
    """

    label: str
    points: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes.

    Attributes:
        title: what is drawn, with its unit.
        lines: the values.
        marks: the events of matches, by variable; none of windows.
        spans: columns `start` and `end`: the stretches of time of matches; those that overlap are one.
        left_out: how many lines more there would be.
    """

    title: str
    lines: tuple[Line, ...]
    marks: tuple[Line, ...]
    spans: pl.DataFrame
    left_out: int


def panels_of_matches(
    table: pa.Table,
    events: Mapping[str, EventSeries],
    prefixes: Mapping[str, str],
    attribute: str | None,
    by: Sequence[str] | None,
) -> tuple[Panel, ...]:
    """Return the panels of a plot of rows.

    Args:
        table: the rows.
        events: by variable the events of its stream.
        prefixes: by which IRIs are shortened.
        attribute: `?e.value`, an attribute, or an item of the rows; `None`: what there is to draw.
        by: what tells lines apart; `None`: what identifies events.

    Raises:
        PipelineError: there is nothing of this name, or nothing numeric at all.
    """
    chosen = _attributes(events, attribute)
    items = _items(table, attribute, drawn=bool(chosen))
    if not chosen and not items:
        raise _nothing(table, events, attribute)
    variables: dict[tuple[str, str], list[str]] = {}
    for variable, name in chosen.items():
        variables.setdefault((events[variable].stream, name), []).append(variable)
    spans = _spans(table, events)
    found = [
        panel
        for (_, name), those in variables.items()
        for panel in _of_events(table, {v: events[v] for v in those}, name, spans, prefixes=prefixes, by=by)
    ]
    found += [_of_items(table, item, prefixes, by) for item in items]
    return tuple(found[:_MOST_PANELS])


def _attributes(events: Mapping[str, EventSeries], attribute: str | None) -> dict[str, str]:
    """Variable → the attribute of its events that is drawn."""
    if attribute is None:
        return {variable: series.attributes[0] for variable, series in events.items() if series.attributes}
    variable, dot, name = attribute.removeprefix("?").rpartition(".")
    having = {v: name for v, series in events.items() if name in series.attributes and (v == variable or not dot)}
    streams = [events[v].stream for v in having]
    return {v: name for v, stream in zip(having, streams, strict=True) if stream == streams[0]}


def _items(table: pa.Table, attribute: str | None, *, drawn: bool) -> list[str]:
    """The numeric items that are drawn: the one that is named, those of aggregates, or all when there is no more."""
    numeric = [f.name for f in table.schema if _is_number(f.type)] if "_time" in table.column_names else []
    if attribute is not None:
        return [] if drawn else [name for name in numeric if name == attribute]
    return numeric if not drawn or "_window" in table.column_names else []


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _nothing(table: pa.Table, events: Mapping[str, EventSeries], attribute: str | None) -> PipelineError:
    known = [f"?{v}.{name}" for v, series in events.items() for name in series.attributes]
    known += _items(table, None, drawn=False)
    if attribute is None or not known:
        return PipelineError("there is nothing numeric to draw", hint="select a number, such as ?e.value")
    hint = did_you_mean(attribute, known) or f"draw one of {', '.join(known)}"
    return PipelineError(f"there is no '{attribute}' to draw", hint=hint)


def _of_events(
    table: pa.Table,
    series: Mapping[str, EventSeries],
    attribute: str,
    spans: pl.DataFrame,
    *,
    prefixes: Mapping[str, str],
    by: Sequence[str] | None,
) -> list[Panel]:
    """The panels of an attribute of a stream: variables whose matches are of no common sensor have one each.

    A stream may have the readings of all points of a building: degrees and people are not to share an axis.
    """
    one = next(iter(series.values()))
    values = _values(one, attribute, prefixes, by)
    marked = {variable: _ids(table, variable).join(values, left_on="id", right_on="_id") for variable in series}
    groups = _of_common_lines({variable: frozenset(m["label"]) for variable, m in marked.items()})
    unit = one.units.get(attribute)
    title = attribute if unit is None else f"{attribute} [{value_text(unit, prefixes).removeprefix('unit:')}]"
    apart = len(groups) > 1
    return [
        _panel(
            title + (f" of {', '.join(f'?{v}' for v in group)}" if apart else ""),
            values,
            {v: marked[v] for v in group},
            spans,
            windows="_window" in table.column_names,
        )
        for group in groups
    ]


def _of_common_lines(labels: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """The variables in groups that share a line; those without any go with the first."""
    groups: list[tuple[list[str], frozenset[str]]] = []
    for variable, own in sorted(labels.items(), key=lambda item: not item[1]):
        near = [group for group in groups if group[1] & own] or (groups[:1] if not own else [])
        rest = [group for group in groups if group not in near]
        joined = [v for group in near for v in group[0]] + [variable], own.union(*(group[1] for group in near))
        groups = [*rest, joined] if own or not near else [joined, *rest]
    order = list(labels)
    found = [sorted(group, key=order.index) for group, _ in groups]
    return sorted(found, key=lambda group: order.index(group[0]))


def _panel(
    title: str, values: pl.DataFrame, marked: Mapping[str, pl.DataFrame], spans: pl.DataFrame, *, windows: bool
) -> Panel:
    counts = pl.concat([m.select("label") for m in marked.values()])["label"].value_counts(sort=True, name="n")
    labels = counts["label"].to_list() or values["label"].unique(maintain_order=True).to_list()
    lines = [Line(label, _points(values, label)) for label in labels[:_MOST_LINES]]
    shown = [m.filter(pl.col("label").is_in(labels[:_MOST_LINES])) for m in marked.values()]
    # A window holds all of its events: marks on each would hide the line.
    marks = [
        Line(f"?{v}", m.select("time", "value").sort("time")) for v, m in zip(marked, shown, strict=True) if not windows
    ]
    return Panel(title, tuple(lines), tuple(marks), spans, max(0, len(labels) - _MOST_LINES))


def _values(series: EventSeries, attribute: str, prefixes: Mapping[str, str], by: Sequence[str] | None) -> pl.DataFrame:
    """The values of an attribute in order of time, each with its event's id and the label of its line."""
    names = [attribute, "_time", "_id", *_known(by, series.identity, series.table.column_names)]
    frame = pl.DataFrame(pl.from_arrow(series.table.select(list(dict.fromkeys(names)))))
    return (
        frame.select(
            pl.col("_id").cast(pl.String),
            pl.col("_time").alias("time"),
            pl.col(attribute).cast(pl.Float64).alias("value"),
            _labels(frame, names[3:], prefixes).alias("label"),
        )
        .drop_nulls("value")
        .sort("time")
    )


def _known(by: Sequence[str] | None, otherwise: Sequence[str], columns: Sequence[str]) -> list[str]:
    for name in by or ():
        if name not in columns:
            public = [column for column in columns if not column.startswith("_")]
            hint = did_you_mean(name, public) or f"its columns are {', '.join(public)}"
            raise PipelineError(f"lines cannot be told apart by '{name}': there is no such column", hint=hint)
    return list(otherwise if by is None else by)


def _labels(frame: pl.DataFrame, names: Sequence[str], prefixes: Mapping[str, str]) -> pl.Series:
    """What a line is called, per row, made once per distinct value."""
    if not names:
        return pl.Series("label", [""], pl.String).new_from_index(0, frame.height)
    distinct = frame.select(names).unique(maintain_order=True)
    texts = [", ".join(value_text(value, prefixes) for value in row) for row in distinct.iter_rows()]
    labelled = distinct.with_columns(pl.Series("label", texts, pl.String))
    return frame.select(names).join(labelled, on=list(names), how="left", nulls_equal=True, maintain_order="left")[
        "label"
    ]


def _points(values: pl.DataFrame, label: str) -> pl.DataFrame:
    return values.filter(pl.col("label") == label).select("time", "value")


def _ids(table: pa.Table, variable: str) -> pl.DataFrame:
    """The events that rows bind a variable to: columns `row` and `id`; none where it stands under NOT."""
    empty = pl.DataFrame(schema={"row": pl.UInt32, "id": pl.String})
    if "_events" not in table.column_names or not table.num_rows:
        return empty
    bound = pl.DataFrame(pl.from_arrow(table.select(["_events"]))).unnest("_events")
    if variable not in bound.columns:
        return empty
    return bound.select(pl.col(variable).alias("id")).with_row_index("row").explode("id").drop_nulls("id")


def _spans(table: pa.Table, events: Mapping[str, EventSeries]) -> pl.DataFrame:
    """The stretches of time of matches, those that overlap put together."""
    if "_window" in table.column_names:
        found = pl.DataFrame(pl.from_arrow(table.select(["_window"]))).unnest("_window").select("start", "end")
    else:
        found = _extents(table, events)
    apart = (pl.col("start") > pl.col("end").cum_max().shift(1)).fill_null(value=True).cum_sum().alias("stretch")
    ordered = found.drop_nulls().filter(pl.col("start") < pl.col("end")).sort("start").with_columns(apart)
    merged = ordered.group_by("stretch", maintain_order=True).agg(pl.col("start").min(), pl.col("end").max())
    return merged.select("start", "end")


def _extents(table: pa.Table, events: Mapping[str, EventSeries]) -> pl.DataFrame:
    """From the first event of each match to when it became true."""
    times = list(_event_times(table, events))
    if not times or "_time" not in table.column_names:
        moment = pl.Datetime("us", "UTC")
        return pl.DataFrame(schema={"start": moment, "end": moment})
    first = pl.concat(times).group_by("row").agg(pl.col("time").min().alias("start"))
    ends = pl.DataFrame(pl.from_arrow(table.select(["_time"]))).with_row_index("row")
    return first.join(ends, on="row").select("start", pl.col("_time").alias("end"))


def _event_times(table: pa.Table, events: Mapping[str, EventSeries]) -> Iterator[pl.DataFrame]:
    for variable, series in events.items():
        moments = pl.DataFrame(pl.from_arrow(series.table.select(["_id", "_time"])))
        moments = moments.select(pl.col("_id").cast(pl.String), pl.col("_time").alias("time"))
        yield _ids(table, variable).join(moments, left_on="id", right_on="_id").select("row", "time")


def _of_items(table: pa.Table, item: str, prefixes: Mapping[str, str], by: Sequence[str] | None) -> Panel:
    """The panel of an item over `_time`; lines are told apart by the items that are text."""
    texts = [f.name for f in table.schema if f.type == pa.string() and not f.name.startswith("_")]
    names = _known(by, texts, table.column_names)
    frame = pl.DataFrame(pl.from_arrow(table.select(list(dict.fromkeys([item, "_time", *names])))))
    labelled = (
        frame.select(
            pl.col("_time").alias("time"),
            pl.col(item).cast(pl.Float64).alias("value"),
            _labels(frame, names, prefixes).alias("label"),
        )
        .drop_nulls("value")
        .sort("time", maintain_order=True)
    )
    labels = labelled["label"].unique(maintain_order=True).to_list()
    lines = [Line(label, _points(labelled, label)) for label in labels[:_MOST_LINES]]
    nothing = pl.DataFrame(schema={"start": pl.Datetime("us", "UTC"), "end": pl.Datetime("us", "UTC")})
    return Panel(item, tuple(lines), (), nothing, max(0, len(labels) - _MOST_LINES))
