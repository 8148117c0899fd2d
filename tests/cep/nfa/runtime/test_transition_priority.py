"""Which of the transitions that an event enables is taken."""

from __future__ import annotations

from kaicep.cep.nfa.automaton import BranchChoice
from kaicep.cep.nfa.compiler import Transition
from kaicep.cep.nfa.runtime.transition_priority import preferred
from kaicep.language.nodes import Link

KEY = (7, ())


def transition(
    *, leaves: bool = False, inside: bool = False, side: int | None = None, link: Link = Link.NEXT
) -> Transition:
    keys = frozenset({KEY})
    sides = () if side is None else (BranchChoice(KEY, side, link),)
    return Transition("a", link, keys if leaves else frozenset(), keys if inside else frozenset(), sides, (), ())


def test_what_prolongs_a_repetition_goes_before_what_leaves_it() -> None:
    prolonging, leaving = transition(inside=True), transition(leaves=True)
    assert preferred([(leaving, []), (prolonging, [])]) == [(prolonging, [])]
    assert preferred([(leaving, [])]) == [(leaving, [])]


def test_the_left_side_of_an_or_goes_before_the_right() -> None:
    left, right = transition(side=0), transition(side=1)
    assert preferred([(right, []), (left, [])]) == [(left, [])]


def test_under_skip_till_any_match_both_sides_are_taken() -> None:
    left, right = (transition(side=side, link=Link.ANY) for side in (0, 1))
    assert len(preferred([(left, []), (right, [])])) == 2
