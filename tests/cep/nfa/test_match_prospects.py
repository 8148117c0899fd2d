"""What may become of partial matches: until when events or time may complete them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep import Project
from support.mode_queries import CONTENT, at

PROJECT = Project.parse(CONTENT)
PARTIAL = "SELECT ?p._bound AS b, ?p._until AS u FROM (?p, PARTIAL(q)) ORDER BY ?p._bound"


def held(pattern: str, second: float, came: str, windows: str) -> list[tuple[str, float | None]]:
    """What is bound, and until which second, of letters that come second by second."""
    rows = [{"id": f"{k}{i}", "t": at(i).isoformat(), "k": k} for i, k in enumerate(came)]
    named = [v for v in "abcn" if f"?{v}" in pattern]
    sources, filters = (", ".join(f"(?{v}, S)" for v in named), " ".join(f"FILTER (?{v}.k = '{v}')" for v in named))
    text = f"CREATE QUERY q AS SELECT ?a.id FROM {sources} WHERE {{ {filters} SEQ ({pattern}) {windows} }};"
    asked = PROJECT.evaluate(text + PARTIAL, {"S": rows}, ask_at=at(second))
    return [(row["b"], row["u"] and (row["u"] - at(0)) / timedelta(seconds=1)) for row in asked]


def test_all_that_has_still_to_come_bounds_a_partial_match() -> None:
    windows = "WINDOW (?a, ?c, 5s) WINDOW (?b, ?c, 60s)"
    assert held("?a, ?b, ?c", 4, "a", windows) == [("a", 5)]
    assert held("?a, ?b, ?c", 6, "a", windows) == []


def test_what_may_be_left_out_bounds_nothing() -> None:
    assert held("?a, ?b?, ?c", 4, "a", "WINDOW (?a, ?b, 2s) WINDOW (?a, ?c, 9s)") == [("a", 9)]


@pytest.mark.parametrize(
    ("second", "expected"), [(1.5, [("a", 9), ("a b", 7)]), (6.5, [("a", 9), ("a b", 7)]), (7, [("a", 9)]), (9.5, [])]
)
def test_every_ends_with_its_last_moment(second: float, expected: list[tuple[str, float]]) -> None:
    assert held("?a, ?b, EVERY 3s UNTIL ?n", second, "ab", "WINDOW (?a, ?b, 9s)") == expected


def test_what_ends_every_leaves_nothing() -> None:
    assert held("?a, ?b, EVERY 3s UNTIL ?n", 2.5, "abn", "WINDOW (?a, ?b, 9s)") == [("a", 9)]
