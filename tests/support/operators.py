"""Operators under test: readings as short dicts, batches with watermarks, rows as short dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import polars as pl
import pyarrow as pa
from kaicep.cep import END_OF_TIME, Operator, apply_filters, build_operator
from kaicep.cep.nfa import stop_events
from kaicep.cep.order import EVENTS, all_events, sees_all_events
from kaicep.cep.output import ARROW_TYPES
from kaicep.expressions import SIGNATURES
from kaicep.language.checks import compile_document
from kaicep.language.nodes import COMPANION, AttributeType, Query, StreamType, ValueType, Vocabulary

from .vocabulary import CAMPUS_TERMS, PREFIXES

START = datetime(2012, 5, 7, tzinfo=UTC)

_ATTRIBUTES = (
    AttributeType("sensor", ValueType.STRING),
    AttributeType("timestamp", ValueType.DATETIME),
    AttributeType("x", ValueType.DOUBLE),
    AttributeType("n", ValueType.INTEGER),
    AttributeType("note", ValueType.STRING),
    AttributeType("ok", ValueType.BOOLEAN),
)
STREAMS = Vocabulary(
    {name: StreamType(name, _ATTRIBUTES, time="timestamp") for name in ("readings", "alarms")},
    SIGNATURES,
    PREFIXES,
    CAMPUS_TERMS,
    ("readings",),
)

Reading = Mapping[str, Any]
"""`t`: seconds after `START`; `id`; attributes; semantic variables as `?name`. What is missing is unbound."""


def compiled(text: str, retention: timedelta | None = None) -> Query:
    """The last query of a document over `readings` and `alarms`."""
    return compile_document(text, STREAMS, retention=retention)[-1]


def at(seconds: float) -> datetime:
    """A moment of the test's stream."""
    return START + timedelta(seconds=seconds)


def candidates(query: Query, readings: Sequence[Reading]) -> dict[str, pa.Table]:
    """Every variable's candidates: the readings of its stream, once per solution that it uses, its FILTERs applied."""
    types = {a.name: ARROW_TYPES[a.type] for a in _ATTRIBUTES}
    tables: dict[str, pa.Table] = {}
    streams: dict[str, pl.DataFrame] = {}
    for source in query.sources:
        of_stream = [r for r in readings if r.get("stream", "readings") == source.stream.name]
        names = [f"?{name}" for name, _ in source.bindings]
        own = list({(r["id"], *(r.get(name) for name in names)): r for r in of_stream}.values())
        bindings = {f"?{name}": ARROW_TYPES[of] for name, of in source.bindings}
        columns = types | bindings
        data = {name: pa.array([r.get(name) for r in own], of) for name, of in columns.items()}
        data["timestamp"] = data["_time"] = pa.array([at(r["t"]) for r in own], pa.timestamp("us", tz="UTC"))
        data["_id"] = pa.array([r["id"] for r in own], pa.string())
        tables[source.variable] = apply_filters(pa.table(data), source.filters)
        streams[source.stream.name] = cast("pl.DataFrame", pl.from_arrow(pa.table(data)))
    if sees_all_events(query):
        every = {n: frame.unique("_id", keep="first", maintain_order=True).to_arrow() for n, frame in streams.items()}
        tables[EVENTS] = all_events(query, every)
    for name, (stream, looked_at) in stop_events(query).items():
        tables[name] = streams[stream].unique("_id", keep="first", maintain_order=True).select(looked_at).to_arrow()
    return tables


def feed(
    operator: Operator, query: Query, readings: Sequence[Reading], until: float | None = None
) -> list[dict[str, Any]]:
    """One call of `process`; `until` is the watermark, in seconds, `None` the end of time."""
    watermark = END_OF_TIME if until is None else at(until)
    rows: list[dict[str, Any]] = operator.process(candidates(query, readings), watermark).to_pylist()
    return rows


def answer(query: Query | str, readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """The rows of a query over a whole stream that ends."""
    checked = compiled(query) if isinstance(query, str) else query
    return feed(build_operator(checked), checked, readings)


def without_companions(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows as they are when no integer leaves 64 bits."""
    return [{name: value for name, value in row.items() if not name.endswith(COMPANION)} for row in rows]


def short(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows without `_time`, `_events`, `_window` and `_id`, and without companions."""
    plain = without_companions(rows)
    return [{name: value for name, value in row.items() if not name.startswith("_")} for row in plain]


def events(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The ids of each row's events in order of FROM, joined: `a1 b2`."""
    return [" ".join(id_ for ids in row["_events"].values() for id_ in ids) for row in rows]
