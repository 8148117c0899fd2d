"""What may still come in a state, and which repetitions are under way there."""

from __future__ import annotations

from kaicep.cep.nfa.automaton import ItemSet, PatternDerivatives, open_groups, reachable_variables
from kaicep.language.nodes import Link
from support.automata import parsed


def state_after(pattern: str, variables: str) -> ItemSet:
    automaton = PatternDerivatives(parsed(pattern), Link.ANY, lambda _: False, lambda _: False)
    (state,) = automaton.beginnings()
    for variable in variables:
        (state,) = automaton.after(next(item for item in state if item.variable == variable))
    return state


def names(state: ItemSet) -> str:
    return "".join(sorted({variable for variable, _ in reachable_variables(state)}))


def test_what_has_come_for_good_is_reachable_no_more() -> None:
    pattern = "?a -> NOT ?n -> ?b{1,2; ->} -> ?c"
    assert [names(state_after(pattern, came)) for came in ("", "a", "ab", "abb", "abbc")] == [
        "abcn", "bc", "bc", "c", "",
    ]  # fmt: skip


def test_a_repetition_under_way_is_told_from_the_next_one() -> None:
    pattern = "(?a -> ?b){2; ->} -> ?c"
    begun = state_after(pattern, "a")
    (group,) = open_groups(begun)
    assert ("b", frozenset({group})) in reachable_variables(begun)
    assert open_groups(state_after(pattern, "ab")) == frozenset()
    assert {v for v, groups in reachable_variables(state_after(pattern, "ab")) if group in groups} == set()


def test_the_other_side_of_an_and_is_reachable_until_it_came() -> None:
    assert names(state_after("(?a AND (?b -> ?d)) -> ?c", "b")) == "acd"
    assert names(state_after("(?a AND (?b -> ?d)) -> ?c", "bad")) == "c"
