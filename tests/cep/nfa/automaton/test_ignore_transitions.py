"""What is left of a state when an event was ignored."""

from __future__ import annotations

import pytest
from kaicep.cep.nfa.automaton import PatternDerivatives, after_ignoring
from kaicep.language.nodes import Link
from support.automata import parsed

PATTERN = "?a ->> ?b{0,1; ->} -> ?c{0,1; ->} => ?d"


@pytest.mark.parametrize(
    ("link", "left"),
    [(Link.STRICT, ["b", "c"]), (Link.NEXT, ["b"])],
    ids=["nothing took it: `=>` is lost", "another branch took it: `->` is lost, too"],
)
def test_which_items_are_left(link: Link, left: list[str]) -> None:
    automaton = PatternDerivatives(parsed(PATTERN), Link.ANY, lambda _: False, lambda _: False)
    (first,) = automaton.beginnings()
    (state,) = automaton.after(first[0])
    assert [item.link for item in state] == [Link.ANY, Link.NEXT, Link.STRICT]
    assert [item.variable for item in after_ignoring(state, link)] == left
