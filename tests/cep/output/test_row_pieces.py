"""Pieces of rows: few enough to be held, many enough to be worth taking."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from kaicep.cep.output.row_pieces import in_pieces


def numbers(*values: int) -> pa.Table:
    return pa.table({"n": pa.array(values, pa.int64())})


def test_few_rows_are_put_together_and_the_last_may_be_fewer() -> None:
    tables = [numbers(), numbers(1), numbers(2, 3), numbers(), numbers(4, 5, 6, 7), numbers(8)]
    assert [piece["n"].to_pylist() for piece in in_pieces(tables, 3)] == [[1, 2, 3], [4, 5, 6, 7], [8]]


def test_of_nothing_there_is_no_piece() -> None:
    assert list(in_pieces([numbers(), numbers()], 3)) == []


def test_a_piece_is_given_before_the_next_rows_are_made() -> None:
    made = []

    def tables() -> Iterator[pa.Table]:
        for value in range(3):
            made.append(value)
            yield numbers(value)

    assert next(in_pieces(tables(), 1))["n"].to_pylist() == [0]
    assert made == [0]
