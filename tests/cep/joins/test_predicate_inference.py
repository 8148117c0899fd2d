"""What JOINs and FILTERs say together of single events: never more than the JOIN itself says of the pair."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kaicep.cep.joins import implied_filters
from kaicep.language.nodes.expression import Binary, Column, Constant
from support.operators import compiled

PAIR = "SELECT ?a.n FROM (?a, readings), (?b, readings) {} SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"


def written(text: str) -> set[str]:
    """The implied conditions, as a query would have them."""
    found = set()
    for conditions in implied_filters(compiled(text)).values():
        for condition in conditions:
            assert isinstance(condition, Binary)
            assert isinstance(condition.left, Column)
            assert isinstance(condition.right, Constant)
            found.add(f"?{condition.left.variable}.{condition.left.name} {condition.operator} {condition.right.value}")
    return found


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("FILTER (?a.x > 500) JOIN (?b.x - ?a.x > 50)", {"?b.x > 550.0"}),
        ("FILTER (500 <= ?a.x) JOIN (50 < ?b.x - ?a.x)", {"?b.x > 550.0"}),
        ("FILTER (?a.x > 3 AND ?a.x > 5) JOIN (?b.x > ?a.x)", {"?b.x > 5.0"}),
        ("FILTER (?b.x < 9) JOIN (?b.x - ?a.x > 2.5)", {"?a.x < 6.5"}),
        ("FILTER (?a.x < 9) JOIN (?b.x < ?a.x)", {"?b.x < 9.0"}),
        ("FILTER (?a.x > 0) JOIN (?a.x - ?b.x < 3)", {"?b.x > -3.0"}),
        ("FILTER (?a.x > 0.1) JOIN (?b.x - ?a.x > 0.2)", {f"?b.x > {math.nextafter(0.1 + 0.2, 0)}"}),
        ("FILTER (?a.x > 500) JOIN (?b.x - ?a.x >= 50)", set()),
        ("FILTER (?a.x > 500) JOIN (?b.n - ?a.n > 50)", set()),
        ("FILTER (?a.x > 500) JOIN (?b.x - ?a.x > 50 OR ?a.ok = ?b.ok)", set()),
        ("FILTER (?a.x > 500 OR ?a.ok) JOIN (?b.x - ?a.x > 50)", set()),
    ],
)
def test_bounds_follow_from_joins_and_filters(clauses: str, expected: set[str]) -> None:
    assert written(PAIR.format(clauses)) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        "SEQ (?a -> ?b) WINDOW (?a, ?b, 5s)",
        "SEQ (?a OR ?b) WINDOW (?a, ?b, 5s)",
        "SEQ (?a, NOT ?b, ?c) WINDOW (?a, ?c, 5s)",
        "SEQ (?a, ?b{2}) WINDOW (?a, ?b, 5s)",
        "WINDOW (?b, sliding, 3 events) WINDOW (?a, sliding, 5s)",
    ],
)
def test_nothing_follows_where_a_join_is_not_asked_of_every_candidate(pattern: str) -> None:
    sources = "FROM (?a, readings), (?b, readings)" + (", (?c, readings)" if "?c" in pattern else "")
    assert written(f"SELECT ?a.n {sources} FILTER (?a.x > 500) JOIN (?b.x - ?a.x > 50) {pattern}") == set()


numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-10, 10).map(float)


@pytest.mark.slow
@given(numbers, numbers, numbers, numbers)
def test_what_is_implied_is_true_of_doubles(a: float, b: float, floor: float, least: float) -> None:
    """With numbers as near to each other as rounding allows."""
    assume(abs(b - a) < math.inf)
    floor, least = min(floor, a), min(least, math.nextafter(b - a, -math.inf))
    assume(least > -math.inf)
    text = PAIR.format(f"FILTER (?a.x >= {floor!r}) JOIN (?b.x - ?a.x > {least!r})")
    (condition,) = implied_filters(compiled(text))["b"]
    assert isinstance(condition, Binary)
    assert isinstance(condition.right, Constant)
    assert b > condition.right.value  # type: ignore[operator]  # a double, as the other tests show
