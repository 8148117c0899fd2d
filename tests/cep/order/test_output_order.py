"""Ties of the output order are settled by text and by semantic bindings (docs/semantics.md 3.16)."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.cep.order.output_order import binding_columns, settle_ties
from kaicep.expressions import Ints
from kaicep.expressions.terms import encode
from kaicep.language.nodes import Binding, ValueType
from kaicep.language.source_text import Span


def test_only_rows_of_equal_keys_are_sorted_further() -> None:
    looked_at: list[list[int]] = []

    def breakers(tied: Ints) -> list[pl.Series]:
        looked_at.append(tied.tolist())
        return [pl.Series([{1: "b", 2: "a", 3: None}[row] for row in tied.tolist()])]

    order = settle_ties(np.array([0, 1, 2, 3, 4]), np.array([7, 8, 8, 8, 9]), breakers)
    assert order.tolist() == [0, 3, 2, 1, 4], "unbound comes first"
    assert looked_at == [[1, 2, 3]]


def test_without_ties_nothing_is_asked() -> None:
    def breakers(_: Ints) -> list[pl.Series]:
        raise AssertionError

    assert settle_ties(np.array([1, 0]), np.array([2, 1]), breakers).tolist() == [1, 0]


def test_terms_are_ordered_by_their_text() -> None:
    frame = pl.DataFrame({"?n": [10, 9]}).select(encode(pl.col("?n"), ValueType.INTEGER).alias("?n"))
    (column,) = binding_columns(frame, [Binding("e", "n", ValueType.TERM, Span(0, 0))])
    assert column.arg_sort().to_list() == [0, 1], '"10" comes before "9"'
