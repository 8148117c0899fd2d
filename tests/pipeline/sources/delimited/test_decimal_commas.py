"""Numbers with decimal commas, and what is none."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.pipeline.sources.delimited import decimal_points, has_decimal_commas, with_decimal_points


def column(*values: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, pa.string())])


@pytest.mark.parametrize(
    ("values", "separated_by_comma", "expected"),
    [
        (["1,5", "2", None], False, True),
        (["1,5", "2.5"], False, False),
        (["1.234,5"], False, True),
        (["1,234"], False, True),
        (["1,234"], True, False),
        (["1,234", "0,5"], True, True),
        (["1,5 ppm"], False, False),
        (["a,b"], False, False),
        (["1", "2"], False, False),
        ([], False, False),
        ([",5"], False, True),
        (["1,5e-3"], False, True),
    ],
)
def test_a_column_shows_its_decimal_commas(
    values: list[str | None],
    separated_by_comma: bool,
    expected: bool,  # a case
) -> None:
    assert has_decimal_commas(column(*values), separated_by_comma=separated_by_comma) is expected


@given(st.lists(st.decimals(-(10**9), 10**9, places=3), min_size=1), st.booleans())
def test_written_numbers_come_back(numbers: list[object], thousands: bool) -> None:  # a case
    texts = [f"{n:,.3f}" if thousands else f"{n:.3f}" for n in numbers]
    european = column(*(t.translate(str.maketrans(",.", ".,")) for t in texts))
    assert with_decimal_points(european).to_pylist() == [t.replace(",", "") for t in texts]


def test_what_is_no_number_stays() -> None:
    assert with_decimal_points(column("off", None, "1,2,3")).to_pylist() == ["off", None, "1,2,3"]


def test_of_a_table_that_nobody_declares_the_columns_of_numbers_are_converted() -> None:
    table = pa.table({"x": ["1,5", "2"], "note": ["a,b", None], "n": [1, 2]})
    assert decimal_points(table, ";").to_pylist() == [
        {"x": "1.5", "note": "a,b", "n": 1},
        {"x": "2", "note": None, "n": 2},
    ]
