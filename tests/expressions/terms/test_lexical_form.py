"""Canonical lexical forms, as STR gives them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.language.nodes.types import ValueType
from support.columns import (
    BOOLEAN,
    DATETIME,
    DOUBLE,
    DURATION,
    INF,
    INTEGER,
    IRI,
    MOMENT,
    NAN,
    STRING,
    TERM,
    call,
    column,
    typed,
    values,
)


@pytest.mark.parametrize(
    ("of", "given_values", "texts"),
    [
        (STRING, ["ä", None], ["ä", None]),
        (IRI, ["http://x"], ["http://x"]),
        (BOOLEAN, [True, False, None], ["true", "false", None]),
        (INTEGER, [-5, 2**62, None], ["-5", "4611686018427387904", None]),
        (DOUBLE, [500.0, 0.1, -1.5e-7, 1e22, 123456.789], ["5.0E2", "1.0E-1", "-1.5E-7", "1.0E22", "1.23456789E5"]),
        (
            DOUBLE,
            [0.0, -0.0, INF, -INF, NAN, None, 5e-324],
            ["0.0E0", "-0.0E0", "INF", "-INF", "NaN", None, "5.0E-324"],
        ),
        (
            DATETIME,
            [MOMENT, MOMENT.replace(microsecond=0), None],
            ["2012-05-07T09:30:01.5Z", "2012-05-07T09:30:01Z", None],
        ),
        (DURATION, [timedelta(0), timedelta(days=1, seconds=61.5), None], ["PT0S", "P1DT1M1.5S", None]),
        (DURATION, [-timedelta(hours=30), timedelta(days=2)], ["-P1DT6H", "P2D"]),
        (
            TERM,
            [typed("05", "integer"), "<http://x>", '"a\\tb\\u00fc"@de', "_:b", None],
            ["05", "http://x", "a\tbü", None, None],
        ),
    ],
)
def test_str_gives_canonical_forms(of: ValueType, given_values: list[Any], texts: list[str | None]) -> None:
    assert values(call("STR", STRING, column(of)), a=(of, given_values)) == texts


@settings(deadline=None)
@given(st.lists(st.floats(width=64), min_size=1))
def test_str_of_a_double_reads_back(given_values: list[float]) -> None:
    texts = values(call("STR", STRING, column(DOUBLE)), a=(DOUBLE, given_values))
    assert repr([float(text) for text in texts]) == repr(given_values)
