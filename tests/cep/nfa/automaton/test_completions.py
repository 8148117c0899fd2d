"""Which variables complete what has come so far."""

from __future__ import annotations

import pytest
from kaicep.cep.nfa.automaton import PatternDerivatives, completions_by, completions_in, minimal_completions
from kaicep.language.nodes import Link
from support.automata import parsed


def completions(pattern: str, came: str = "") -> list[str]:
    automaton = PatternDerivatives(parsed(pattern), Link.ANY, lambda _: False, lambda _: False)
    states = list(automaton.beginnings())
    for variable in came:
        items = [item for state in states for item in state if item.variable == variable]
        states = [state for item in items for state in automaton.after(item)]
    return sorted({"".join(sorted(one)) for state in states for one in completions_in(state)})


@pytest.mark.parametrize(
    ("pattern", "came", "expected"),
    [
        ("?a -> NOT ?n -> ?b -> ?c", "", ["abc"]),
        ("?a -> NOT ?n -> ?b -> ?c", "a", ["bc"]),
        ("?a -> ?b? -> ?c", "a", ["bc", "c"]),
        ("?a -> ?b{1,; ->} -> ?c", "ab", ["bc", "c"]),
        ("?a -> (?b OR ?c)", "a", ["b", "c"]),
        ("(?a AND (?b -> ?d)) -> ?c", "b", ["acd"]),
        ("(?a AND (?b -> ?d)) -> ?c", "bad", ["c"]),
        ("(?a -> ?b){2; ->}", "a", ["ab"]),
    ],
)
def test_what_completes_a_state(pattern: str, came: str, expected: list[str]) -> None:
    assert completions(pattern, came) == expected


def test_an_element_is_part_of_what_it_leads_to() -> None:
    automaton = PatternDerivatives(parsed("?a -> ?b -> ?c"), Link.ANY, lambda _: False, lambda _: False)
    ((item,),) = automaton.beginnings()
    assert completions_by(item, automaton.after(item)) == {frozenset("abc")}


def test_larger_sets_say_nothing_but_of_variables_that_are_asked_about() -> None:
    every = frozenset(map(frozenset, ("b", "bc", "bd", "c")))
    assert minimal_completions(every, frozenset()) == {frozenset("b"), frozenset("c")}
    assert minimal_completions(every, frozenset("d")) == {frozenset("b"), frozenset("c"), frozenset("bd")}
