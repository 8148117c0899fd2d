"""Where the variables of a pattern stand: groups around them, repetition, sides of ORs, NOTs that stand first."""

from __future__ import annotations

import pytest
from kaicep.cep.nfa.automaton import PatternScopes, scopes_of
from kaicep.language.nodes import may_be_empty
from support.automata import parsed


def scopes(pattern: str) -> PatternScopes:
    return scopes_of(parsed(pattern))


def test_the_innermost_group_around_variables_is_their_scope() -> None:
    found = scopes("?a -> ((?b -> ?c){2; ->} -> ?d){2; ->}")
    outer, inner = found.groups["b"]
    assert found.groups["d"] == (outer,)
    assert found.scope("bc") == inner
    assert found.scope("bd") == outer
    assert found.scope("ab") is None


def test_what_may_be_bound_to_several_events() -> None:
    found = scopes("?a -> (?b -> ?c{1,2; ->}){2; ->} -> (?d){0,1; ->}")
    (group,) = found.groups["b"]
    assert [v for v in "abcd" if found.repeats(v, None)] == ["b", "c"]
    assert not found.repeats("b", group)
    assert found.repeats("c", group)


def test_the_other_sides_of_an_or() -> None:
    (first, second) = scopes("?a -> (?b OR ?c)").others.values()
    assert (first, second) == (frozenset("c"), frozenset("b"))


@pytest.mark.parametrize(
    ("pattern", "opening"),
    [
        ("NOT ?n -> ?a -> ?b", "n"),
        ("?a -> NOT ?n -> ?b", ""),
        ("?a{0,1; ->} -> NOT ?n -> ?b", "n"),
        ("?a -> (NOT ?n -> ?b){2; ->}", ""),
        ("(NOT ?n -> ?a){2; ->}", "n"),
        ("?a OR (NOT ?n -> ?b)", "n"),
    ],
)
def test_which_nots_may_stand_first(pattern: str, opening: str) -> None:
    assert scopes(pattern).opening == frozenset(opening)


@pytest.mark.parametrize(
    ("pattern", "empty"),
    [("?a{0,1; ->}", True), ("?a -> ?b", False), ("?a{0,1; ->} OR ?b", True), ("?a{0,1; ->} AND ?b", False)],
)
def test_what_may_be_passed_without_an_event(pattern: str, empty: bool) -> None:
    assert may_be_empty(parsed(pattern)) is empty
