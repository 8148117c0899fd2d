"""Dynamic semantics: attribute values → IRIs of the individuals that they stand for, once per distinct value."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from .annotation import Attribute
from .datatypes import canonical_text
from .identity import quote_distinct

# Beyond so many values, sorting them costs more than to find anew what follows from them.
_SORTED = 10_000


def encode(values: pl.Series | pa.Array) -> pa.DictionaryArray:
    """A column as a dictionary, so that what follows from a value is found once per distinct value.

    A dictionary of moderate size is sorted: batches with the same values have the same one, and what was found for it
    holds again.
    """
    array = values.to_arrow() if isinstance(values, pl.Series) else values
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    if len(encoded.dictionary) > _SORTED:
        return encoded
    order = pc.sort_indices(encoded.dictionary)
    rank = np.empty(len(order), np.int32)
    rank[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(rank).take(encoded.indices), encoded.dictionary.take(order))


def link(raw: pa.DictionaryArray, attribute: Attribute, individuals: Mapping[str, str]) -> pa.DictionaryArray:
    """The individuals' IRIs as a dictionary column; null where the value is null or nothing has that key.

    Args:
        raw: the typed values.
        attribute: says by template or by key how a value names its individual.
        individuals: IRI by value of the key; unused with a template.
    """
    text = canonical_text(_series(raw.dictionary), attribute.type)
    if attribute.template is not None:
        before, _, after = attribute.template.partition("{}")
        iris = before + quote_distinct(text) + after  # distinct values have distinct IRIs
        return pa.DictionaryArray.from_arrays(raw.indices, iris.to_arrow().cast(pa.string()))
    named = [None if value is None else individuals.get(value) for value in text]
    # Two values may stand for one individual: the column's own dictionary holds each IRI once.
    linked = pa.array(named, pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(linked.indices.take(raw.indices), linked.dictionary)


def _series(array: pa.Array) -> pl.Series:
    series = pl.from_arrow(array)
    if not isinstance(series, pl.Series):  # pl.from_arrow gives a frame for tables only
        raise TypeError(type(series))
    return series
