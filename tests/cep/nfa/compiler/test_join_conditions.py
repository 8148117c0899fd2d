"""The JOINs of a pattern: of whom each speaks, and in which repetition it is asked."""

from __future__ import annotations

import pytest
from kaicep.cep.nfa.compiler import JoinCondition
from support.automata import automaton_of


def condition(pattern: str, join: str) -> JoinCondition:
    (found,) = automaton_of(pattern, join).conditions.conditions
    return found


PATTERN = "?a -> ?b{1,; ->} -> ?c"


@pytest.mark.parametrize(
    ("join", "plain", "aggregates", "looks"),
    [
        ("?b.x > ?a.x", ("b", "a"), 0, 0),
        ("?c.x > SUM(?b.x)", ("c",), 1, 0),
        ("?b.x > PREV(?b.x)", ("b",), 0, 1),
        ("?b.x > RUNNING MAX(?b.x)", ("b",), 0, 1),
        ("?c.x > 1 OR ?a.x IN (1, 2)", ("c", "a"), 0, 0),
    ],
)
def test_of_whom_it_speaks(join: str, plain: tuple[str, ...], aggregates: int, looks: int) -> None:
    found = condition(PATTERN, f"JOIN ({join})")
    assert (found.plain, len(found.aggregates), len(found.looks)) == (plain, aggregates, looks)


def test_a_join_within_a_group_is_asked_of_each_repetition() -> None:
    pattern = "(?a -> ?b{1,; ->}){2; ->} -> ?c"
    assert condition(pattern, "JOIN (?b.x > ?a.x)").scope is not None
    assert condition(pattern, "JOIN (?c.x > ?a.x)").scope is None


def test_it_keeps_its_text() -> None:
    assert condition(PATTERN, "JOIN (?b.x>?a.x)").text == "?b.x > ?a.x"


def test_what_speaks_of_each_event_by_itself_is_no_join() -> None:
    assert automaton_of(PATTERN, "JOIN (?b.x > 1)").conditions.conditions == []


def test_an_aggregate_of_a_not_is_that_of_its_one_candidate() -> None:
    for test in ("SUM(?n.x) > ?a.x", "SUM(?n.x) IN (1, 2) AND ?a.x > 0"):
        found = condition("?a -> NOT ?n -> ?b{1,; ->}", f"JOIN ({test})")
        assert found.aggregates == ()


def test_it_is_cut_at_its_ands_only_where_constraints_alone_decide() -> None:
    join = "JOIN (?b.x > ?a.x AND ?c.x > ?a.x)"
    assert len(automaton_of("?a ->> ?b{1,2; ->>} ->> ?c", join).conditions.conditions) == 2
    assert len(automaton_of("?a -> ?b{1,2; ->} -> ?c", join).conditions.conditions) == 1
