"""Events of a stream as N-Quads in the graphs of their buckets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

import polars as pl
import pyarrow as pa

from ..annotator import EventShape
from ..annotator.shape import RootProperty
from ..language.types import XSD
from .graphs import graphs_of

LATE = "urn:kaicep:late"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def encoder(shapes: Mapping[str, EventShape], bucket: timedelta) -> Callable[[str, pa.Table], bytes]:
    """Return (stream, events) → N-Quads; a stream without a shape has none."""

    def encode(stream: str, events: pa.Table) -> bytes:
        shape = shapes.get(stream)
        return b"" if shape is None else _encode(shape, events, bucket)

    return encode


def _encode(shape: EventShape, events: pa.Table, bucket: timedelta) -> bytes:
    frame = pl.DataFrame(events).with_columns(_graph=pl.Series(graphs_of(shape.stream, events, bucket)).cast(pl.String))
    subject = pl.concat_str(pl.lit("<"), "_id", pl.lit("> <"))
    end = pl.concat_str(pl.lit(" <"), "_graph", pl.lit("> .\n"))
    lines = [pl.concat_str(subject, pl.lit(start), end) for start in _constants(shape)]
    lines += [
        pl.concat_str(subject, pl.lit(f"{p.iri}> "), _object(p, frame), end)
        for p in shape.properties
        if p.column in frame.columns
    ]
    if "_late" in frame.columns:
        late = pl.when("_late").then(pl.lit(f'{LATE}> "true"^^<{XSD}boolean>'))
        lines.append(pl.concat_str(subject, late, end))
    texts = frame.select(pl.concat_list(lines).explode().alias("line"))["line"].drop_nulls()
    return "".join(texts.to_list()).encode()


def _constants(shape: EventShape) -> Iterator[str]:
    for kind in shape.types:
        yield f"{_TYPE}> <{kind}>"


def _object(p: RootProperty, frame: pl.DataFrame) -> pl.Expr:
    literal = pl.concat_str(pl.lit('"'), _lexical(p.column, frame.schema[p.column]), pl.lit(f'"^^<{p.datatype}>'))
    if p.individual is None or p.individual not in frame.columns:
        return literal
    return pl.coalesce(pl.concat_str(pl.lit("<"), pl.col(p.individual), pl.lit(">")), literal)


def _lexical(name: str, kind: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if isinstance(kind, pl.Datetime):
        return column.dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ")
    if kind == pl.Float64:
        return column.cast(pl.String).replace({"inf": "INF", "-inf": "-INF"})
    return (
        column.cast(pl.String)
        .str.replace_all("\\", "\\\\", literal=True)
        .str.replace_all('"', '\\"', literal=True)
        .str.replace_all("\n", "\\n", literal=True)
        .str.replace_all("\r", "\\r", literal=True)
    )
