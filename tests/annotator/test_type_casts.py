"""Raw columns of any type → columns of the declared type, and why a row does not fit."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from support.annotators import NOON, annotated_column


def _dictionary(values: list[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).dictionary_encode()


@pytest.mark.parametrize(
    ("datatype", "raw", "typed", "reasons"),
    [
        ("xsd:double", pa.array(["1", " 2.5e1 ", "-INF", "+.5", None]), [1.0, 25.0, float("-inf"), 0.5, None], []),
        ("xsd:double", pa.array(["abc", "inf", "1_0", "", "0x1"]), [], ["'abc'", "'inf'", "'1_0'", "''", "'0x1'"]),
        ("xsd:double", _dictionary(["1", None, "1"]), [1.0, None, 1.0], []),
        ("xsd:double", pa.array([1, 2], pa.int8()), [1.0, 2.0], []),
        ("xsd:double", pa.array([Decimal("1.50")]), [1.5], []),
        ("xsd:double", pa.array([1.5], pa.float32()), [1.5], []),
        ("xsd:double", pa.nulls(2), [None, None], []),
        ("xsd:double", pa.array([True]), [], ["true"]),
        ("xsd:double", pa.array([[1.0]]), [], ["[1.0]"]),
        ("xsd:decimal", pa.array(["1.5", "NaN"]), [1.5], ["'NaN'"]),
        ("xsd:integer", pa.array(["1", "+05", "-3", "9223372036854775807"]), [1, 5, -3, 2**63 - 1], []),
        ("xsd:integer", pa.array(["1.0", "9223372036854775808", "x"]), [], ["'1.0'", "'9223372036854775808'", "'x'"]),
        ("xsd:integer", pa.array([1.0, 1.5, 1e30, None]), [1, None], ["1.5", "1e+30"]),
        ("xsd:integer", pa.array([2**64 - 1], pa.uint64()), [], ["18446744073709551615"]),
        ("xsd:integer", pa.array([Decimal("2.0"), Decimal("2.5")]), [2], ["2.5"]),
        ("xsd:byte", pa.array([127, 128]), [127], ["128"]),
        ("xsd:nonNegativeInteger", pa.array(["0", "-1"]), [0], ["'-1'"]),
        ("xsd:boolean", pa.array(["true", "0", " 1", "false", None]), [True, False, True, False, None], []),
        ("xsd:boolean", pa.array(["TRUE", "yes"]), [], ["'TRUE'", "'yes'"]),
        ("xsd:boolean", pa.array([0, 1, 2]), [False, True], ["2"]),
        ("xsd:string", pa.array([1.0, 1e16, 1e-5]), ["1", "1e+16", "1e-05"], []),
        ("xsd:string", pa.array([1, None]), ["1", None], []),
        ("xsd:string", pa.array([True, False]), ["true", "false"], []),
        ("xsd:string", pa.array([NOON], pa.timestamp("ms", "UTC")), ["2012-05-07T12:00:00Z"], []),
        ("xsd:string", pa.array([{"a": 1}]), [], ["{'a': 1}"]),
        ("xsd:string", pa.array(["a"], pa.string_view()), ["a"], []),
    ],
)  # fmt: skip
def test_values_are_typed(datatype: str, raw: pa.Array, typed: list[object], reasons: list[str]) -> None:
    """Whatever the raw type: what fits is typed, a row that does not fit is rejected with its value and datatype."""
    annotated = annotated_column(datatype, raw)
    assert annotated.events.column("x").to_pylist() == typed
    assert annotated.rejected.column("reason").to_pylist() == [f"x: {text} is no {datatype}" for text in reasons]


def test_long_values_are_cut_in_reasons() -> None:
    annotated = annotated_column("xsd:integer", pa.array(["y" * 100]))
    assert annotated.rejected.column("reason").to_pylist() == [f"x: '{'y' * 58}… is no xsd:integer"]
