"""The distinct keys of a batch: which combinations of root property values its events have."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyoxigraph as ox

from ...annotator import COLUMN_TYPES, lexical_text
from ...language.nodes import ValueType, type_of_datatype
from ..plan import KeyColumn, ResidualQuery
from .evaluate import KeyEvent, Term

Codes = npt.NDArray[np.int64]
# A value of the key: whether it is an individual's IRI, and the value; `None`: the event has none.
KeyValue = tuple[bool, Hashable] | None
Key = tuple[KeyValue, ...]

_DENSE = 1 << 20


@dataclass(frozen=True, slots=True)
class BatchKeys:
    """The keys of a batch.

    Attributes:
        codes: per event the position of its key in `distinct`.
        distinct: the keys; with `identified` the event's id comes first.
    """

    codes: Codes
    distinct: list[Key]


class KeyReader:
    """Reads the keys of one subquery batch by batch.

    A key that is one dictionary column is not looked at event by event: its values are the keys, those that the batch
    has no event for included, and the same dictionary gives the same list of keys again.

    Args:
        residual: says which columns the key is made of.
    """

    def __init__(self, residual: ResidualQuery) -> None:
        self._residual = residual
        self._values: pa.Array | None = None
        self._distinct: list[Key] = []

    def of(self, events: pa.Table) -> BatchKeys:
        """The distinct keys of a batch of events."""
        column = self._one_dictionary(events)
        if column is None:
            return batch_keys(self._residual, events)
        if self._values is None or not self._values.equals(column.dictionary):
            named = self._residual.key[0].individual is not None
            self._values = column.dictionary
            self._distinct = [((named, value),) for value in column.dictionary.to_pylist()]
        return BatchKeys(column.indices.to_numpy().astype(np.int64, copy=False), self._distinct)

    def _one_dictionary(self, events: pa.Table) -> pa.DictionaryArray | None:
        if self._residual.identified or len(self._residual.key) != 1:
            return None
        key = self._residual.key[0]
        column = events.column(key.individual or key.column)
        if not pa.types.is_dictionary(column.type) or column.num_chunks != 1 or column.null_count:
            return None
        return column.chunk(0)


def batch_keys(residual: ResidualQuery, events: pa.Table) -> BatchKeys:
    """The distinct keys of a batch of events."""
    columns = [_identities(events)] if residual.identified else []
    columns += [_values(events, column) for column in residual.key]
    if not columns:
        return BatchKeys(np.zeros(events.num_rows, np.int64), [()] if events.num_rows else [])
    combined, first = _combine([codes for codes, _ in columns], [len(values) for _, values in columns])
    picked = [[values[code] if code >= 0 else None for code in codes[first]] for codes, values in columns]
    return BatchKeys(combined, list(zip(*picked, strict=True)))


def key_events(residual: ResidualQuery, keys: Sequence[Key]) -> list[KeyEvent]:
    """What each key says of its events, as RDF terms."""
    skipped = 1 if residual.identified else 0
    columns = [_terms(column, [key[i] for key in keys]) for i, column in enumerate(residual.key, start=skipped)]
    return [
        KeyEvent(
            str(key[0][1]) if residual.identified and key[0] is not None else None,
            tuple((c.properties, term) for c, of_key in zip(residual.key, columns, strict=True) if (term := of_key[i])),
        )
        for i, key in enumerate(keys)
    ]


def _terms(column: KeyColumn, values: Sequence[KeyValue]) -> list[Term | None]:
    literals = [None if value is None or value[0] else value[1] for value in values]
    kind = COLUMN_TYPES[type_of_datatype(column.datatype) or ValueType.STRING]
    written: Iterator[str | None] = iter(lexical_text(pl.Series(literals, dtype=kind), column.datatype))
    datatype = ox.NamedNode(column.datatype)
    return [
        None if value is None
        else ox.NamedNode(str(value[1])) if value[0]
        else ox.Literal(text or "", datatype=datatype)
        for value, text in zip(values, written, strict=True)
    ]  # fmt: skip


def _identities(events: pa.Table) -> tuple[Codes, list[KeyValue]]:
    codes, values = _encoded(events.column("_id"))
    return codes, [(True, value) for value in values]


def _values(events: pa.Table, column: KeyColumn) -> tuple[Codes, list[KeyValue]]:
    if column.individual is None:
        codes, values = _encoded(events.column(column.column))
        return codes, [(False, value) for value in values]
    codes, values = _encoded(events.column(column.individual))
    named: list[KeyValue] = [(True, value) for value in values]
    missing = codes < 0
    if column.individual == column.column or not missing.any():
        return codes, named
    raw, texts = _encoded(events.column(column.column))
    unlinked = missing & (raw >= 0)
    return np.where(unlinked, raw + len(named), codes), named + [(False, text) for text in texts]


def dictionary_of(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column as one dictionary array; nulls are nulls of the indices."""
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    array = column.combine_chunks()
    array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def _encoded(column: pa.ChunkedArray) -> tuple[Codes, list[Hashable]]:
    """Codes and the values that they stand for; null is -1."""
    array = dictionary_of(column)
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return codes, array.dictionary.to_pylist()


def _combine(columns: Sequence[Codes], sizes: Sequence[int]) -> tuple[Codes, Codes]:
    """Codes of the combinations that occur, and the first event of each."""
    combined, span = columns[0] + 1, sizes[0] + 1
    for codes, size in zip(columns[1:], sizes[1:], strict=True):
        if span * (size + 1) > 2**62:
            occurring, combined = np.unique(combined, return_inverse=True)
            span = len(occurring)
        combined = combined * (size + 1) + codes + 1
        span *= size + 1
    if span > _DENSE:
        _, first, inverse = np.unique(combined, return_index=True, return_inverse=True)
        return inverse.astype(np.int64, copy=False), first.astype(np.int64, copy=False)
    first_of = np.full(span, -1, np.int64)
    first_of[combined[::-1]] = np.arange(len(combined) - 1, -1, -1)
    occurring = np.flatnonzero(first_of >= 0)
    place = np.empty(span, np.int64)
    place[occurring] = np.arange(len(occurring))
    return place[combined], first_of[occurring]
