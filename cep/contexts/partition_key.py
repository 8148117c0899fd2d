"""Which partition of a set of contexts rows belong to: their keys as text, alike where GROUP BY takes them as alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from struct import pack

import polars as pl

from ...expressions import POLARS_TYPES
from ...language.nodes import ContextSet, ValueType
from ..output import key_text

__all__ = ["PartitionKeys", "sortable"]

_SEPARATOR = "\x1f"
_SIGN, _ALL = 2**63, 2**64 - 1
_NUMBERS = (ValueType.INTEGER, ValueType.DOUBLE)


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
