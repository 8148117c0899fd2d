"""Event ids: deterministic IRIs made of the identity attributes, else of a digest of the whole tuple."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
import polars_hash as plh
import pyarrow as pa

from ..language.nodes import ValueType
from .datatypes import canonical_text
from .linking import quote_distinct
from .shape import event_prefix

_UNBOUND = "!"


def ids_of(events: pa.Table) -> pl.Series:
    """The ids of an event table, as strings however they are encoded."""
    return pl.Series(events["_id"]).cast(pl.String)


def exclude_ids(events: pa.Table, ids: pl.Series) -> pa.Table:
    """The events that have none of these ids; the table itself when that is all of them."""
    if not len(ids) or not events.num_rows:
        return events
    known = ids_of(events).is_in(ids.implode())
    return events.filter((~known).to_arrow()) if known.any() else events


def event_ids(
    stream: str,
    identity: Sequence[tuple[str, ValueType]],
    columns: Mapping[str, pl.Series],
    encoded: Mapping[str, pa.DictionaryArray],
) -> pl.Series:
    """Ids from the identity attributes: `urn:kaicep:event:<stream>/<segment>/<segment>…`.

    Args:
        stream: name of the stream.
        identity: name and type of the identity attributes, in declared order.
        columns: the typed raw values by attribute name.
        encoded: of those attributes that were made dictionaries: their segments are written once per distinct value.
    """
    parts: list[pl.Expr] = []
    before = event_prefix(stream)
    for name, kind in identity:
        if name in encoded:
            parts.append(pl.lit(_distinct_segments(before, encoded[name], kind)))
        else:
            parts += [pl.lit(before), pl.lit(_segments(columns[name], kind))]
        before = "/"
    return pl.select(pl.concat_str(parts, separator="")).to_series()


def tuple_ids(
    stream: str, attributes: Sequence[tuple[str, ValueType]], columns: Mapping[str, pl.Series], extra: pl.Series
) -> pl.Series:
    """Ids from the whole tuple: the MD5 digest of all attributes' segments, then that of the undeclared ones' JSON."""
    segments = [_segments(columns[name], kind) for name, kind in attributes] + [_segments(extra, ValueType.STRING)]
    texts = pl.select(pl.concat_str(_prefixed("", segments), separator="").alias("text"))
    digest = plh.col("text").nchash.md5()  # identity, not security
    return texts.select(pl.concat_str([pl.lit(event_prefix(stream)), digest])).to_series()


def _distinct_segments(before: str, values: pa.DictionaryArray, kind: ValueType) -> pl.Series:
    """`_segments` of a dictionary column, each behind the text `before`."""
    distinct = pl.concat([_segments(pl.Series(values.dictionary), kind), pl.Series([_UNBOUND])])
    codes = values.indices.fill_null(len(values.dictionary)) if values.null_count else values.indices
    return (before + distinct).gather(pl.Series(codes))


def _segments(values: pl.Series, kind: ValueType) -> pl.Series:
    text = canonical_text(values, kind)
    if kind in (ValueType.STRING, ValueType.DOUBLE):
        text = quote_distinct(text)
    return text.fill_null(_UNBOUND) if text.null_count() else text


def _prefixed(prefix: str, segments: Sequence[pl.Series]) -> list[pl.Expr]:
    parts: list[pl.Expr] = [pl.lit(prefix)]
    for position, segment in enumerate(segments):
        parts += [pl.lit("/"), pl.lit(segment)] if position else [pl.lit(segment)]
    return parts
