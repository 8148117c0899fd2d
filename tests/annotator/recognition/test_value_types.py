"""What raw columns hold."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.annotator.recognition import recognise_type


def kind(*values: object) -> str:
    return recognise_type(pa.chunked_array([pa.array(values)]))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "2", None, ""], "integer"),
        (["1", "2.5"], "double"),
        (["1.0", "-2e5", "NaN"], "double"),
        (["true", "FALSE"], "boolean"),
        (["0", "1"], "integer"),
        (["1"] * 19 + ["off"], "integer"),
        (["1.5"] * 19 + ["off"], "double"),
        (["1"] * 19 + ["1.5"], "double"),
        (["1", "off"], "string"),
        (["a"], "string"),
        ([1, 2], "integer"),
        ([1.5], "double"),
        ([True], "boolean"),
        ([date(2021, 1, 1)], "string"),
    ],
)
def test_the_type_of_a_column(values: list[object], expected: str) -> None:
    assert kind(*values) == expected


def test_a_column_of_nothing_is_text() -> None:
    assert recognise_type(pa.chunked_array([pa.array([None, ""], pa.string())])) == "string"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_written_numbers_are_numbers(numbers: list[float]) -> None:
    assert kind(*(repr(number) for number in numbers)) in {"double", "integer"}
