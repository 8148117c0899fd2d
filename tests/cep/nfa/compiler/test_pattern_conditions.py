"""What is known of a pattern before any state is made."""

from __future__ import annotations

import pytest
from kaicep.cep.nfa.compiler import PatternConditions, windows_of
from support.automata import query_of


def conditions(pattern: str, *clauses: str, **more: str | None) -> PatternConditions:
    return PatternConditions(query_of(pattern, *clauses, **more))


@pytest.mark.parametrize(
    ("pattern", "clauses", "relaxed"),
    [
        ("?a ->> ?b{1,2; ->>}", (), True),
        ("?a ->> ?b{1,2; ->}~", (), False),
        ("?a -> ?b{1,2; ->>}", (), False),
        ("?a, ?b{1,2}", (), True),
        ("?a, ?b{1,2}", ("POLICY next",), False),
        ("?a ->> ?b{1,2; ->>} UNTIL (?b.x > 1)", (), False),
    ],
)
def test_where_constraints_alone_say_what_matches(pattern: str, clauses: tuple[str, ...], relaxed: bool) -> None:
    assert conditions(pattern, *clauses).relaxed is relaxed


def test_joins_with_a_not_are_asked_from_the_inside_out() -> None:
    found = conditions("((?a -> NOT ?n -> ?b){2; ->} -> ?c){2; ->}", "JOIN (?n.x = ?a.x)", "JOIN (?n.x = ?c.x)")
    inner, outer = found.negation_joins("n")
    assert [c.text for c in (*inner, *outer)] == ["?n.x = ?a.x", "?n.x = ?c.x"]
    assert found.joins == []


def test_what_seq_does_not_name_is_free() -> None:
    found = conditions("?a -> NOT ?n -> ?b{1,; ->}", "JOIN (?n.x = ?o.x)", beside="o")
    assert found.free == ("o",)
    assert [c.text for c in found.free_joins] == ["?n.x = ?o.x"]
    assert found.doubtful == ("n",)


def test_windows_and_nots_as_text() -> None:
    found = conditions("?a -> NOT ?n FOR 5s -> ?b{1,; ->}", "JOIN (?n.x = ?a.x)")
    ((variables, width),) = found.windows
    assert found.window_text(variables, width) == "WINDOW (?a, ?b, 3600s)"
    assert found.negation_text("n") == "NOT ?n FOR 5s with ?n.x = ?a.x"


def test_windows_of_a_query_are_in_microseconds() -> None:
    assert windows_of(query_of("?a -> ?b{1,; ->}", window="2s")) == [(frozenset("ab"), 2_000_000)]
