"""Functions over columns (docs/semantics.md 2.4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.language.nodes.expression import Expression
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
    binary,
    call,
    column,
    constant,
    typed,
    values,
)

ROUNDED = [0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, -0.5000000000000001, 2**52 + 1.0, INF, None]


def test_rounding_goes_half_towards_positive_infinity() -> None:
    found = values(call("ROUND", DOUBLE, column(DOUBLE)), a=(DOUBLE, ROUNDED))
    assert found == [1.0, 0.0, 2.0, 3.0, -2.0, 0.0, -1.0, 2**52 + 1.0, INF, None]
    assert repr(values(call("ROUND", DOUBLE, column(DOUBLE)), a=(DOUBLE, [NAN]))) == "[nan]"


def test_numeric_functions() -> None:
    a = {"a": (DOUBLE, [-1.5, 1.2, None])}
    assert values(call("FLOOR", DOUBLE, column(DOUBLE)), **a) == [-2.0, 1.0, None]
    assert values(call("CEIL", DOUBLE, column(DOUBLE)), **a) == [-1.0, 2.0, None]
    assert values(call("ABS", DOUBLE, column(DOUBLE)), **a) == [1.5, 1.2, None]
    n = {"a": (INTEGER, [-3, 2**62 + 1, -(2**63), None])}
    assert values(call("ABS", INTEGER, column(INTEGER)), **n) == [3, 2**62 + 1, None, None]
    for function in ("ROUND", "FLOOR", "CEIL"):
        assert values(call(function, INTEGER, column(INTEGER)), **n) == [-3, 2**62 + 1, -(2**63), None]


def test_choices() -> None:
    both = {"a": (INTEGER, [None, 1, None]), "b": (DOUBLE, [0.5, 0.5, None])}
    a, b = column(INTEGER, "a"), column(DOUBLE, "b")
    assert values(call("COALESCE", DOUBLE, a, b), **both) == [0.5, 1.0, None]
    assert values(call("BOUND", BOOLEAN, a), **both) == [False, True, False]
    chosen = call("IF", DOUBLE, binary(">", a, constant(0, INTEGER)), b, constant(9, INTEGER))
    assert values(chosen, a=(INTEGER, [1, 0, None]), b=(DOUBLE, [0.5, 0.5, 0.5])) == [0.5, 9.0, None]
    mixed = call("COALESCE", TERM, column(STRING, "s"), column(IRI, "i"), column(DATETIME, "t"))
    found = values(
        mixed, s=(STRING, ['a "b"\n', None, None]), i=(IRI, ["x", "http://x", None]), t=(DATETIME, [MOMENT] * 3)
    )
    assert found == ['"a \\"b\\"\\n"', "<http://x>", typed("2012-05-07T09:30:01.5Z", "dateTime")]


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


def test_text_functions() -> None:
    a = {"a": (STRING, ["Straße 9", "", None])}
    text = column(STRING)
    assert values(call("LCASE", STRING, text), **a) == ["straße 9", "", None]
    assert values(call("UCASE", STRING, text), **a) == ["STRASSE 9", "", None]
    assert values(call("STRLEN", INTEGER, text), **a) == [8, 0, None]
    for function, word in (("CONTAINS", "a"), ("STRSTARTS", "Str"), ("STRENDS", " 9")):
        assert values(call(function, BOOLEAN, text, constant(word, STRING)), **a) == [True, False, None]
        assert values(call(function, BOOLEAN, text, text), **a) == [True, True, None]
        assert values(call(function, BOOLEAN, text, constant(".", STRING)), **a) == [False, False, None]
    terms = {"a": (TERM, ['"ab"@en', typed("ab", "string"), typed("1", "integer"), "<http://ab>"])}
    assert values(call("STRLEN", INTEGER, column(TERM)), **terms) == [2, 2, None, None]


@pytest.mark.parametrize(
    ("pattern", "flags", "matches"),
    [
        ("^l", None, [True, False, False]),
        ("^L", "i", [True, False, False]),
        ("K.\nL", "s", [False, False, False]),
        ("k.l", "s", [False, True, False]),
        ("k.l", None, [False, False, False]),
        ("^low", "m", [True, True, False]),
        ("l o w", "x", [True, True, False]),
        ("a.b", "q", [False, False, True]),
        ("A.B", "qi", [False, False, True]),
        ("(", None, [None, None, None]),
    ],
)
def test_regular_expressions(pattern: str, flags: str | None, matches: list[bool | None]) -> None:
    arguments: list[Expression] = [column(STRING), constant(pattern, STRING)]
    arguments += [] if flags is None else [constant(flags, STRING)]
    found = values(call("REGEX", BOOLEAN, *arguments), a=(STRING, ["low", "k\nlow", "xa.b", None]))
    assert found == [*matches, None]


def test_parts_of_moments() -> None:
    parts = {"YEAR": 2012, "MONTH": 5, "DAY": 7, "HOURS": 9, "MINUTES": 30}
    for function, value in parts.items():
        assert values(call(function, INTEGER, column(DATETIME)), a=(DATETIME, [MOMENT, None])) == [value, None]
    micros = MOMENT.replace(microsecond=3000)
    assert values(call("SECONDS", DOUBLE, column(DATETIME)), a=(DATETIME, [MOMENT, micros])) == [1.5, 1.003]
    terms = [typed("2012-05-07T01:00:00+02:00", "dateTime"), typed("2012-05-07T01:00:00", "dateTime"), '"2012"', None]
    assert values(call("HOURS", INTEGER, column(TERM)), a=(TERM, terms)) == [23, 1, None, None]
