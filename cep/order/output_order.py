"""Output order beyond what numbers settle: ties are broken by text and by semantic bindings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from ...expressions import Ints, plain_name, terms
from ...language.nodes import Binding, ValueType

__all__ = ["binding_columns", "settle_ties"]


def settle_ties(order: Ints, key: Ints, breakers: Callable[[Ints], Sequence[pl.Series]]) -> Ints:
    """Sort rows of equal keys further.

    Args:
        order: rows, sorted by `key`.
        key: of each row.
        breakers: columns of given rows by which, in turn, rows of equal keys are sorted; unbound first.

    Returns:
        The rows in their final order. Only rows that share their key are looked at.
    """
    sorted_key = key[order]
    equal = np.flatnonzero(sorted_key[1:] == sorted_key[:-1])
    if not len(equal):
        return order
    places = np.union1d(equal, equal + 1)
    tied = order[places]
    columns = [pl.Series(key[tied]), *breakers(tied)]
    frame = pl.DataFrame([column.alias(str(i)) for i, column in enumerate(columns)])
    settled = order.copy()
    settled[places] = tied[frame.select(pl.arg_sort_by(frame.columns, maintain_order=True)).to_series().to_numpy()]
    return settled


def binding_columns(frame: pl.DataFrame, bindings: Sequence[Binding]) -> list[pl.Series]:
    """The values of semantic variables as they are ordered: terms by their text."""
    columns = [pl.col(plain_name(binding)) for binding in bindings]
    values = [terms.text(c) if b.type is ValueType.TERM else c for b, c in zip(bindings, columns, strict=True)]
    return [frame.select(value.alias("value")).to_series() for value in values]
