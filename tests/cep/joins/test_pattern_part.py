"""What partial matches may have bound: what stands before it is bound, too, and something may come."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from kaicep import Project
from kaicep.cep.joins import pattern_parts
from kaicep.cep.query_state import watch
from support.timer_queries import CONTENT

PROJECT = Project.parse(CONTENT)
SECOND = 1_000_000


def parts(text: str) -> Mapping[str, Mapping[str, int]] | None:
    """By what is bound, how long behind each event the others may be waited for."""
    (query,) = PROJECT.compile(f"SELECT ?a.id FROM (?a, S), (?b, S), (?c, P) {text}")
    found = pattern_parts(watch(query))
    return None if found is None else {"".join(part.variables): dict(part.waits) for part in found}


def test_a_sequence_is_bound_from_its_begin() -> None:
    windows = "WINDOW (?a, ?b, 5s) WINDOW (?a, ?b, ?c, 9s)"
    assert parts(f"SEQ (?a, ?b, ?c) {windows}") == {
        "a": {"a": 5 * SECOND},
        "ab": {"a": 9 * SECOND, "b": 9 * SECOND},
    }


def test_the_sides_of_an_and_are_bound_in_any_order() -> None:
    found = parts("SEQ ((?a AND ?b), ?c) WINDOW (?a, ?b, ?c, 9s)")
    assert found is not None
    assert set(found) == {"a", "b", "ab"}


def test_variables_of_joins_are_bound_in_any_order() -> None:
    found = parts("JOIN (?a.k = ?b.k) WINDOW (?a, ?b, ?c, 9s)")
    assert found is not None
    assert set(found) == {"a", "b", "c", "ab", "ac", "bc"}


@pytest.mark.parametrize(
    "text",
    [
        "SEQ (?a, NOT ?b, ?c) WINDOW (?a, ?c, 9s)",
        "SEQ (?a -> ?b -> ?c) WINDOW (?a, ?b, ?c, 9s)",
        "SEQ (?a, ?b+, ?c) WINDOW (?a, ?b, ?c, 9s)",
        "SEQ (?a, (?b OR ?c)) WINDOW (?a, ?b, ?c, 9s)",
        "SEQ (?a, ?b, ?c) WINDOW (?a, ?b, ?c, 9s) LIMIT 3",
        "SEQ (?a, ?b, ?c) WINDOW (?a, ?b, ?c, 9s) AFTER MATCH SKIP PAST LAST EVENT",
    ],
)
def test_other_patterns_are_those_of_automata(text: str) -> None:
    assert parts(text) is None


def test_only_what_is_bound_is_asked() -> None:
    text = "SELECT ?a.id FROM (?a, S), (?b, S), (?c, P) JOIN (?a.x < ?b.x) JOIN (?b.k = ?c.k) SEQ (?a, ?b, ?c)"
    (query,) = PROJECT.compile(f"{text} WINDOW (?a, ?b, ?c, 9s)")
    found = pattern_parts(watch(query))
    assert found is not None
    assert [(len(part.plan.conditions), len(part.plan.keys)) for part in found] == [(0, 0), (1, 0)]
