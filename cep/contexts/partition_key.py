"""Which partition of a set of contexts rows belong to: their keys as text, alike where GROUP BY takes them as alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from struct import pack

import numpy as np
import polars as pl

from ...expressions import POLARS_TYPES, Ints
from ...language.nodes import ContextSet, ValueType
from ..order import group_codes
from ..output import key_text

__all__ = ["PartitionCodes", "PartitionKeys", "sortable"]

_SEPARATOR = "\x1f"
_SIGN, _ALL = 2**63, 2**64 - 1
_NUMBERS = (ValueType.INTEGER, ValueType.DOUBLE)


@dataclass(frozen=True, slots=True)
class PartitionCodes:
    """The partitions of rows.

    Attributes:
        codes: of each row, the place of its partition in `keys`; −1: a key is unbound.
        keys: the partitions, each once.
    """

    codes: Ints
    keys: list[str]

    @staticmethod
    def of(texts: pl.Series) -> PartitionCodes:
        """Of rows whose keys are known; null: one is unbound."""
        encoded = texts.to_arrow(compat_level=pl.CompatLevel.newest()).dictionary_encode()
        return PartitionCodes(np.asarray(encoded.indices.fill_null(-1), np.int64), encoded.dictionary.to_pylist())


@dataclass(frozen=True)
class PartitionKeys:
    """Makes keys of a set; with no keys there is one partition, whose key is empty."""

    contexts: ContextSet
    _types: tuple[ValueType, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_types", tuple(key.type for key in self.contexts.keys))

    def texts(self, values: Sequence[pl.Series], types: Sequence[ValueType], height: int) -> pl.Series:
        """The partition of each row; null: a key is unbound.

        Args:
            values: a column for each key.
            types: what each has values of.
            height: how many rows there are.
        """
        if not self._types:
            return pl.Series([""], dtype=pl.String).new_from_index(0, height)
        texts = [_text(*each) for each in zip(values, types, self._types, strict=True)]
        frame = pl.DataFrame([text.alias(str(place)) for place, text in enumerate(texts)])
        return frame.select(pl.concat_str(pl.all(), separator=_SEPARATOR, ignore_nulls=False)).to_series()

    def codes(self, values: Sequence[pl.Series], types: Sequence[ValueType], height: int) -> PartitionCodes:
        """The same as `texts`, of many rows in few partitions: texts are made once for all rows of equal values."""
        if not self._types or not height:
            return PartitionCodes.of(self.texts(values, types, height))
        every = group_codes(values)
        first = np.full(int(every.max()) + 1, -1)
        first[every[::-1]] = np.arange(height)[::-1]
        rows = pl.Series(first[first >= 0])
        distinct = PartitionCodes.of(self.texts([column.gather(rows) for column in values], types, len(rows)))
        places = np.cumsum(first >= 0) - 1
        return PartitionCodes(distinct.codes[places[every]], distinct.keys)


def _text(values: pl.Series, of: ValueType, wanted: ValueType) -> pl.Series:
    """Values as text, brought to a key's type where they are of another one."""
    if ValueType.TERM in (of, wanted):
        return key_text(values, of)
    values = values if values.dtype == POLARS_TYPES[wanted] else values.cast(POLARS_TYPES[wanted])
    if wanted is ValueType.DOUBLE:  # zero has two signs, and is one key
        values = values.to_frame("x").select(pl.when(pl.col("x") == 0).then(0.0).otherwise(pl.col("x"))).to_series()
    return key_text(values, wanted)


@lru_cache(maxsize=1 << 16)
def sortable(key: str, types: tuple[ValueType, ...]) -> str:
    """A partition's key as text that is in the order of its values."""
    parts = key.split(_SEPARATOR) if types else []
    return _SEPARATOR.join(_padded(part) if of in _NUMBERS else part for part, of in zip(parts, types, strict=False))


def _padded(number: str) -> str:
    """A number as text of which the order is that of numbers."""
    if number.lstrip("-").isdigit():
        return f"{int(number) + 2**64:020d}"
    try:
        value = float(number)
    except ValueError:
        return number
    bits = int.from_bytes(pack(">d", value), "big")
    return f"{bits ^ _SIGN if bits < _SIGN else bits ^ _ALL:020d}"
