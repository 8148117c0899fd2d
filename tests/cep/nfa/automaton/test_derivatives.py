"""States are the partial derivatives of a pattern: what may come next, and what then."""

from __future__ import annotations

import pytest
from kaicep.cep.nfa.automaton import ItemSet, PatternDerivatives
from kaicep.language.nodes import Link
from support.automata import parsed


def derivatives(pattern: str, *, early: bool = False, decides: bool = False) -> PatternDerivatives:
    return PatternDerivatives(parsed(pattern), Link.ANY, lambda _: early, lambda _: decides)


def written(state: ItemSet) -> str:
    return " ".join(f"{item.link.value}{item.variable or 'end'}" for item in state)


def after(pattern: str, variables: str, **more: bool) -> list[str]:
    """The states to which events lead, one for each variable of a text."""
    automaton = derivatives(pattern, **more)
    states = automaton.beginnings()
    for variable in variables:
        states = [s for state in states for item in state if item.variable == variable for s in automaton.after(item)]
    return [written(state) for state in states]


@pytest.mark.parametrize(
    ("pattern", "came", "states"),
    [
        ("?a -> ?b => ?c", "", ["->>a"]),
        ("?a -> ?b => ?c", "a", ["->b"]),
        ("?a -> ?b => ?c", "ab", ["=>c"]),
        ("?a -> ?b => ?c", "abc", ["->>end"]),
        ("?a -> ?b{1,; =>} -> ?c", "ab", ["=>b ->c"]),
        ("?a -> ?b{2; ->}", "ab", ["->b"]),
        ("?a -> ?b{0,1; ->} => ?c", "a", ["->b =>c"]),
        ("?a -> (?b AND ?c)", "a", ["->b ->c"]),
        ("?a -> (?b AND ?c)", "ac", ["->b"]),
        ("?a -> (?b OR ?c)", "ab", ["->>end"]),
        ("?a -> NOT ?n -> ?b", "a", ["->b"]),
    ],
)
def test_what_may_come_next(pattern: str, came: str, states: list[str]) -> None:
    """What is repeated zero times is not written, and the link before it is that of what follows."""
    assert after(pattern, came) == states


def test_every_length_is_a_state_of_its_own() -> None:
    """`~` decides when a repetition could go on and could stop; early, when the repetition begins that may be last."""
    assert after("?a -> ?b{1,; ->}~ -> ?c", "ab") == ["->c", "->b"]
    assert after("?a -> ?b{1,; ->}~ -> ?c", "a", early=True) == ["->b", "->b"]
    assert after("?a -> ?b{1,; ->}~ -> ?c", "ab", early=True) == ["->c", "->b", "->b"]


def test_what_a_greedy_repetition_leaves_and_prolongs() -> None:
    automaton = derivatives("?a -> ?b{1,; ->} -> ?c")
    (first,) = automaton.beginnings()
    (second,) = automaton.after(first[0])
    ((inside, leaving),) = automaton.after(second[0])
    assert inside.inside == leaving.leaves
    assert inside.inside
    assert not inside.leaves
    assert not leaving.inside


def test_a_not_stands_on_the_way_to_what_follows_it() -> None:
    automaton = derivatives("?a -> NOT ?n -> ?b")
    (first,) = automaton.beginnings()
    ((item,),) = automaton.after(first[0])
    (absence,) = item.absences
    assert (absence.variable, absence.before, absence.strict) == ("n", ("a",), False)


def test_a_gap_bars_the_strict_side_of_an_and_that_has_begun() -> None:
    automaton = derivatives("(?a => ?b) AND ?c")
    (state,) = automaton.beginnings()
    a = next(item for item in state if item.variable == "a")
    assert [written(s) for s in automaton.after(a)] == ["=>b ->>c"]
    c = next(item for (s,) in [automaton.after(a)] for item in s if item.variable == "c")
    assert [written(s) for s in automaton.after(c)] == ["=>b"]
    assert automaton.after(c, gap=True) == []
