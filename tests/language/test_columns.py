"""Expressions over columns have SPARQL's meaning (LANGUAGE §2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.language.columns import POLARS_TYPES, column_expression, plain_name
from kaicep.language.expressions import (
    Aggregate,
    Binary,
    BinaryOperator,
    Binding,
    Call,
    Column,
    Constant,
    Expression,
    Membership,
    Span,
    Unary,
)
from kaicep.language.types import XSD, ValueType
from oracle.events import Event
from oracle.expressions import Candidate, Scope, item

HERE = Span(0, 0)
INF, NAN = math.inf, math.nan
BOOLEAN, INTEGER, DOUBLE, STRING = ValueType.BOOLEAN, ValueType.INTEGER, ValueType.DOUBLE, ValueType.STRING
DATETIME, DURATION, IRI, TERM = ValueType.DATETIME, ValueType.DURATION, ValueType.IRI, ValueType.TERM
MOMENT = datetime(2012, 5, 7, 9, 30, 1, 500_000, tzinfo=UTC)


def typed(text: str, datatype: str) -> str:
    return f'"{text}"^^<{XSD}{datatype}>'


def column(of: ValueType, name: str = "a") -> Column:
    return Column("e", name, of, HERE)


def constant(value: Any, of: ValueType) -> Constant:
    return Constant(value, of, HERE)


def binary(operator: BinaryOperator, left: Expression, right: Expression, of: ValueType = BOOLEAN) -> Binary:
    return Binary(operator, left, right, of, HERE)


def call(function: str, of: ValueType, *arguments: Expression) -> Call:
    return Call(function, arguments, of, HERE)


def values(e: Expression, **columns: tuple[ValueType, Any]) -> list[Any]:
    """The value of an expression for each row; its type has to be the announced one."""
    frame = pl.DataFrame([pl.Series(name, given, POLARS_TYPES[of]) for name, (of, given) in columns.items()])
    found = frame.with_columns(column_expression(e).alias("value"))["value"]
    assert found.dtype == POLARS_TYPES[e.type]
    return found.to_list()


def of_pairs(operator: BinaryOperator, of: ValueType, kind: ValueType, pairs: Sequence[tuple[Any, Any]]) -> list[Any]:
    """An operation on two columns of type `kind`."""
    e = binary(operator, column(kind, "a"), column(kind, "b"), of)
    a, b = zip(*pairs, strict=True)
    return values(e, a=(kind, a), b=(kind, b))


TRUTHS = [(a, b) for a in (True, False, None) for b in (True, False, None)]


def test_logic_has_three_values() -> None:
    assert of_pairs("AND", BOOLEAN, BOOLEAN, TRUTHS) == [True, False, None, False, False, False, None, False, None]
    assert of_pairs("OR", BOOLEAN, BOOLEAN, TRUTHS) == [True, True, True, True, False, None, True, None, None]
    no = Unary("NOT", column(BOOLEAN), BOOLEAN, HERE)
    assert values(no, a=(BOOLEAN, [True, False, None])) == [False, True, None]


def test_effective_boolean_values() -> None:
    def truth(of: ValueType, given: Sequence[Any]) -> list[Any]:
        e = binary("AND", column(of), constant(value=True, of=BOOLEAN))
        return values(e, a=(of, given))

    assert truth(INTEGER, [0, 3, None]) == [False, True, None]
    assert truth(DOUBLE, [0.0, -0.0, 0.1, NAN, None]) == [False, False, True, False, None]
    assert truth(STRING, ["", "false", None]) == [False, True, None]
    assert truth(DATETIME, [MOMENT]) == [None]
    terms = [typed("0", "integer"), typed("true", "boolean"), '"x"@en', '""', "<http://x>", None]
    assert truth(TERM, terms) == [False, True, True, False, None, None]


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "="])
def test_nan_compares_with_nothing(operator: BinaryOperator) -> None:
    pairs = [(NAN, 1.0), (1.0, NAN), (NAN, NAN), (NAN, None), (None, NAN), (NAN, INF), (-INF, NAN)]
    assert of_pairs(operator, BOOLEAN, DOUBLE, pairs) == [False, False, False, None, None, False, False]
    nan = constant(NAN, DOUBLE)
    assert values(binary(operator, column(DOUBLE), nan), a=(DOUBLE, [1.0, NAN, None])) == [False, False, None]
    assert values(binary(operator, nan, column(DOUBLE)), a=(DOUBLE, [1.0, NAN, None])) == [False, False, None]


def test_nan_differs_from_everything() -> None:
    pairs = [(NAN, 1.0), (1.0, NAN), (NAN, NAN), (NAN, None), (None, NAN), (0.0, -0.0)]
    assert of_pairs("!=", BOOLEAN, DOUBLE, pairs) == [True, True, True, None, None, False]


def test_integers_compare_with_doubles_by_value() -> None:
    e = binary("<=", column(INTEGER), constant(2.5, DOUBLE))
    assert values(e, a=(INTEGER, [2, 3, None])) == [True, False, None]
    beyond = binary("<", column(INTEGER), constant(2**70, INTEGER))
    assert values(beyond, a=(INTEGER, [2**63 - 1, None])) == [True, None]


def test_order_of_strings_is_by_code_points() -> None:
    assert of_pairs("<", BOOLEAN, STRING, [("Z", "a"), ("z", "ä"), ("\uffff", "\U0001f600"), ("a", None)]) == [
        True,
        True,
        True,
        None,
    ]


def test_order_of_booleans_and_moments() -> None:
    assert of_pairs("<", BOOLEAN, BOOLEAN, [(False, True), (True, True), (None, True)]) == [True, False, None]
    assert of_pairs(">", BOOLEAN, DATETIME, [(MOMENT, MOMENT), (MOMENT, MOMENT - timedelta(1))]) == [False, True]


def test_literals_of_different_kinds_are_an_error_and_iris_are_no_literals() -> None:
    a = {"a": (STRING, ["5", None])}
    assert values(binary("=", column(STRING), constant(5, INTEGER)), **a) == [None, None]
    assert values(binary("!=", column(STRING), constant("5", IRI)), **a) == [True, None]
    assert values(binary("<", column(STRING), constant("5", IRI)), **a) == [None, None]
    assert values(binary("<", column(IRI), constant("z", IRI)), a=(IRI, ["a"])) == [None]


INTEGERS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (5, 0), (None, 1), (1, None)]


def test_division_of_integers() -> None:
    assert of_pairs("/", DOUBLE, INTEGER, INTEGERS) == [3.5, -3.5, -3.5, 3.5, 2.0, None, None, None]
    assert of_pairs("%", INTEGER, INTEGER, INTEGERS) == [1, -1, 1, -1, 0, None, None, None]


@pytest.mark.parametrize(("operator", "pair"), [("+", (2**63 - 1, 1)), ("-", (-(2**63), 1)), ("*", (2**40, 2**40))])
def test_integers_beyond_64_bits_are_unbound(operator: BinaryOperator, pair: tuple[int, int]) -> None:
    assert of_pairs(operator, INTEGER, INTEGER, [pair, (6, 3)]) == [None, {"+": 9, "-": 3, "*": 18}[operator]]
    minus = Unary("-", column(INTEGER), INTEGER, HERE)
    assert values(minus, a=(INTEGER, [-(2**63), 5])) == [None, -5]


def test_doubles_follow_ieee() -> None:
    pairs = [(1.0, 0.0), (-1.0, 0.0), (0.0, 0.0), (1.0, -0.0), (INF, INF), (None, 0.0), (7.0, 2.0)]
    assert repr(of_pairs("/", DOUBLE, DOUBLE, pairs)) == "[inf, -inf, nan, -inf, nan, None, 3.5]"
    pairs = [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (1.0, 0.0), (1e300, 3.0), (None, 1.0), (1.0, INF)]
    found = of_pairs("%", DOUBLE, DOUBLE, pairs)
    assert repr(found) == f"[1.5, -1.5, 1.5, nan, {math.fmod(1e300, 3.0)!r}, None, 1.0]"
    minus = Unary("-", column(DOUBLE), DOUBLE, HERE)
    assert repr(values(minus, a=(DOUBLE, [0.0, 1.5, None]))) == "[-0.0, -1.5, None]"


@settings(deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=1), st.sampled_from([3.0, 10.0, 0.1, 7e5]))
def test_division_by_a_constant_is_rounded_once(given_values: list[float], divisor: float) -> None:
    e = binary("/", column(DOUBLE), constant(divisor, DOUBLE), DOUBLE)
    assert values(e, a=(DOUBLE, given_values)) == [x / divisor for x in given_values]


def test_arithmetic_of_time() -> None:
    hour = timedelta(hours=1)
    times = {"a": (DATETIME, [MOMENT, None]), "d": (DURATION, [hour, hour])}
    a, d = column(DATETIME, "a"), column(DURATION, "d")
    assert values(binary("+", a, d, DATETIME), **times) == [MOMENT + hour, None]
    assert values(binary("-", a, d, DATETIME), **times) == [MOMENT - hour, None]
    assert values(binary("-", a, a, DURATION), **times) == [timedelta(0), None]
    assert values(binary("*", d, constant(1.5, DOUBLE), DURATION), **times) == [1.5 * hour] * 2
    assert values(binary("*", constant(3, INTEGER), d, DURATION), **times) == [3 * hour] * 2
    assert values(binary("/", d, constant(7, INTEGER), DURATION), **times) == [hour / 7] * 2
    assert values(binary("/", d, constant(hour / 4, DURATION), DOUBLE), **times) == [4.0] * 2
    assert values(binary("/", d, constant(timedelta(0), DURATION), DOUBLE), **times) == [None] * 2
    assert values(binary("*", d, constant(NAN, DOUBLE), DURATION), **times) == [None] * 2
    assert values(Unary("-", d, DURATION, HERE), **times) == [-hour] * 2


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


def test_membership() -> None:
    words = tuple(constant(word, STRING) for word in ("a", "ä"))
    inside = Membership(column(STRING), words, BOOLEAN, HERE)
    assert values(inside, a=(STRING, ["a", "b", "ä", None])) == [True, False, True, None]
    outside = Unary("NOT", inside, BOOLEAN, HERE)
    assert values(outside, a=(STRING, ["a", "b", None])) == [False, True, None]
    numbers = (constant(1, INTEGER), constant(2.5, DOUBLE))
    found = values(Membership(column(DOUBLE), numbers, BOOLEAN, HERE), a=(DOUBLE, [1.0, 2.5, NAN, 3.0, None]))
    assert found == [True, True, False, False, None]
    mixed = (constant("x", STRING), constant(1, INTEGER))
    found = values(Membership(column(TERM), mixed, BOOLEAN, HERE), a=(TERM, [typed("1", "byte"), '"y"', "<http://x>"]))
    assert found == [True, None, False]


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


def test_regular_expression_of_a_column() -> None:
    e = call("REGEX", BOOLEAN, column(STRING, "a"), column(STRING, "b"), constant("i", STRING))
    assert values(e, a=(STRING, ["LOW", "LOW"]), b=(STRING, ["^l", "^x"])) == [True, False]


def test_parts_of_moments() -> None:
    parts = {"YEAR": 2012, "MONTH": 5, "DAY": 7, "HOURS": 9, "MINUTES": 30}
    for function, value in parts.items():
        assert values(call(function, INTEGER, column(DATETIME)), a=(DATETIME, [MOMENT, None])) == [value, None]
    micros = MOMENT.replace(microsecond=3000)
    assert values(call("SECONDS", DOUBLE, column(DATETIME)), a=(DATETIME, [MOMENT, micros])) == [1.5, 1.003]
    terms = [typed("2012-05-07T01:00:00+02:00", "dateTime"), typed("2012-05-07T01:00:00", "dateTime"), '"2012"', None]
    assert values(call("HOURS", INTEGER, column(TERM)), a=(TERM, terms)) == [23, 1, None, None]


TERMS = [
    typed("5", "integer"), typed("5.0", "double"), typed("7", "decimal"), '"a"', '"b"', '"a"@en', "<http://a>",
    typed("true", "boolean"), typed("1", "boolean"), typed("2012-05-07T00:00:00Z", "dateTime"), typed("x", "integer"),
    typed("2012-05-07T02:00:00+02:00", "dateTime"), typed("NaN", "double"), "_:b", None,
]  # fmt: skip


def of_terms(operator: BinaryOperator, term: str | None) -> list[Any]:
    e = binary(operator, column(TERM, "a"), column(TERM, "b"))
    return values(e, a=(TERM, [term] * len(TERMS)), b=(TERM, TERMS))


def test_terms_are_equal_by_value_or_as_terms() -> None:
    no, err = False, None
    assert of_terms("=", TERMS[0]) == [True, True, no, err, err, err, no, err, err, err, err, err, no, no, None]
    assert of_terms("=", '"a"') == [err, err, err, True, no, err, no, err, err, err, err, err, err, no, None]
    assert of_terms("=", "<http://a>") == [no] * 6 + [True] + [no] * 7 + [None]
    assert of_terms("!=", TERMS[7]) == [err] * 6 + [True, no, no, err, err, err, err, True, None]
    assert of_terms("=", TERMS[9])[9:12] == [True, None, True]
    assert of_terms("=", TERMS[12])[12] is False
    assert of_terms("=", None) == [None] * len(TERMS)


def test_terms_are_ordered_within_their_kind() -> None:
    assert of_terms("<", TERMS[0]) == [False, False, True, *[None] * 9, False, None, None]
    assert of_terms("<=", '"a"') == [None, None, None, True, True, *[None] * 10]


@pytest.mark.parametrize(
    ("literal", "equal", "less"),
    [
        (
            constant(5, INTEGER),
            {0: True, 1: True, 2: False, 6: False, 12: False, 13: False},
            dict.fromkeys((0, 1, 2, 12), False),
        ),
        (constant("a", STRING), {3: True, 4: False, 6: False, 13: False}, {3: False, 4: False}),
        (constant("http://a", IRI), {**dict.fromkeys((*range(6), *range(7, 14)), False), 6: True}, {}),
        (constant(value=True, of=BOOLEAN), {7: True, 8: True, 6: False, 13: False}, {7: False, 8: False}),
        (
            constant(datetime(2012, 5, 7, tzinfo=UTC), DATETIME),
            {9: True, 11: True, 6: False, 13: False},
            {9: False, 11: False},
        ),
    ],
)
def test_terms_compare_with_values(literal: Constant, equal: dict[int, bool], less: dict[int, bool]) -> None:
    """What is not named is an error; every comparison may be turned round."""
    for operator, mirrored, expected in (("=", "=", equal), ("<", ">", less)):
        full = [expected.get(i) if term is not None else None for i, term in enumerate(TERMS)]
        assert values(binary(operator, column(TERM), literal), a=(TERM, TERMS)) == full  # type: ignore[arg-type]  # a str
        assert values(binary(mirrored, literal, column(TERM)), a=(TERM, TERMS)) == full  # type: ignore[arg-type]  # a str


def test_arithmetic_of_terms() -> None:
    e = binary("+", column(TERM), constant(1, INTEGER), DOUBLE)
    assert values(e, a=(TERM, [typed("5", "integer"), '"5"', "<http://5>", None])) == [6.0, None, None, None]


def test_names_of_columns() -> None:
    assert plain_name(column(STRING, "x")) == "x"
    assert plain_name(Binding("e", "room", IRI, HERE)) == "?room"
    aggregate = Aggregate("AVG", "e", column(DOUBLE), DOUBLE, HERE)
    with pytest.raises(ValueError, match=r"^AVG has no column among candidates$"):
        plain_name(aggregate)
    e = binary(">", aggregate, constant(1, INTEGER))
    frame = pl.DataFrame({"#0": [0.5, 2.0]})
    assert frame.select(column_expression(e, lambda _: "#0")).to_series().to_list() == [False, True]


numbers = st.one_of(st.none(), st.integers(-9, 9), st.sampled_from([0.5, -0.0, 2.5, 1e300, INF, NAN]))


@settings(deadline=None)
@given(st.data(), st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6))
def test_expressions_equal_the_oracle(data: st.DataObject, rows: list[tuple[Any, Any]]) -> None:
    rows = [(int(a) if a is not None and math.isfinite(a) and abs(a) < 99 else None, b) for a, b in rows]
    rows = [(a, None if b is None else float(b)) for a, b in rows]
    e = data.draw(conditions)
    found = values(e, a=(INTEGER, [a for a, _ in rows]), b=(DOUBLE, [b for _, b in rows]))
    assert repr(found) == repr([by_oracle(e, a, b) for a, b in rows])


def by_oracle(e: Expression, a: int | None, b: float | None) -> Any:
    bound = {name: value for name, value in (("a", a), ("b", b)) if value is not None}
    candidate = Candidate(Event("urn:x", MOMENT, bound))
    return item(e, Scope({"e": candidate}, {}))


integers = st.one_of(st.just(column(INTEGER, "a")), st.integers(-3, 3).map(lambda n: constant(n, INTEGER)))
reals = st.one_of(st.just(column(DOUBLE, "b")), st.sampled_from([0.0, 2.5]).map(lambda x: constant(x, DOUBLE)))
whole = st.one_of(
    integers,
    st.builds(lambda o, x, y: binary(o, x, y, INTEGER), st.sampled_from(["+", "-", "*", "%"]), integers, integers),
)
operands = st.one_of(
    whole,
    reals,
    st.builds(lambda x, y: binary("/", x, y, DOUBLE), whole, whole),
    st.builds(lambda o, x, y: binary(o, x, y, DOUBLE), st.sampled_from(["+", "-", "*", "/", "%"]), whole, reals),
    st.builds(lambda f, x: call(f, DOUBLE, x), st.sampled_from(["ABS", "FLOOR", "CEIL"]), reals),
    st.builds(lambda x, y: call("COALESCE", DOUBLE, x, y), reals, whole),
)
comparisons = st.builds(binary, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), operands, operands)
conditions = st.recursive(
    st.one_of(comparisons, st.builds(lambda x: call("BOUND", BOOLEAN, x), st.one_of(integers, reals))),
    lambda inner: st.one_of(
        st.builds(binary, st.sampled_from(["AND", "OR"]), inner, inner),
        st.builds(lambda x: Unary("NOT", x, BOOLEAN, HERE), inner),
        st.builds(lambda c, x, y: call("IF", BOOLEAN, c, x, y), inner, inner, inner),
    ),
    max_leaves=4,
)
