"""States are made as events lead to them, once each, and can be made again in the same way."""

from __future__ import annotations

from kaicep.language.nodes import Link
from support.automata import automaton_of


def test_only_what_events_lead_to_is_made() -> None:
    compiled = automaton_of("?a -> ?b{1,1000; ->} -> ?c")
    assert len(compiled.states) == 1
    (start,) = compiled.initial
    ((target,),) = [t.targets for t in compiled.moves(start, 0, "a").transitions]
    assert len(compiled.states) == 2
    assert compiled.moves(target.state, 0, "a").transitions == ()
    compiled.moves(target.state, 1, "b")
    assert len(compiled.states) == 3


def test_equal_states_are_one() -> None:
    """An unbounded repetition is a loop, not a chain."""
    compiled = automaton_of("?a -> ?b{1,; ->} -> ?c")
    state = compiled.initial[0]
    for variable in "abb":
        place = "abc".index(variable)
        state = compiled.moves(state, place, variable).transitions[0].targets[0].state
    assert state.number == 2
    assert compiled.moves(state, 1, "b").transitions[0].targets[0].state is state


def test_a_state_is_made_again_from_its_origin() -> None:
    one, other = (automaton_of("?a ->> ?b{1,2; ->} -> ?c") for _ in range(2))
    state = one.initial[0]
    for variable in "ab":
        state = one.moves(state, "abc".index(variable), variable).transitions[0].targets[0].state
    one.ignored(one.states[1], Link.NEXT)
    for made in one.states:
        assert other.state_of(made.origin).items == made.items
    assert [s.number for s in other.states] == [s.number for s in one.states]


def test_what_is_told_of_a_state() -> None:
    compiled = automaton_of("?a -> ?b{1,2; ->}")
    start = compiled.initial[0]
    after_a = compiled.moves(start, 0, "a").transitions[0].targets[0].state
    after_b = compiled.moves(after_a, 1, "b").transitions[0].targets[0].state
    assert (after_a.held, after_a.open, after_a.finals) == (False, True, ())
    assert (after_b.held, after_b.open, len(after_b.finals)) == (True, True, 1)
    assert compiled.may_hold
    assert after_a.deadline((7, 0)) == 7 + 3_600_000_000
    assert not after_a.merges
    relaxed = automaton_of("?a ->> ?b{2; ->>}~")
    ((target,),) = [t.targets for t in relaxed.moves(relaxed.initial[0], 0, "a").transitions]
    assert (target.state.merges, target.state.relaxed) == (True, True)


def test_a_loop_is_generated_where_there_is_nothing_to_choose() -> None:
    greedy = automaton_of("?a -> ?b{1,; ->} -> ?c")
    after_a = greedy.moves(greedy.initial[0], 0, "a").transitions[0].targets[0].state
    after_b = greedy.moves(after_a, 1, "b").transitions[0].targets[0].state
    assert greedy.moves(after_b, 1, "b").advance is not None
    held = automaton_of("?a -> ?b{1,; ->}")
    after_a = held.moves(held.initial[0], 0, "a").transitions[0].targets[0].state
    after_b = held.moves(after_a, 1, "b").transitions[0].targets[0].state
    assert held.moves(after_b, 1, "b").advance is None
