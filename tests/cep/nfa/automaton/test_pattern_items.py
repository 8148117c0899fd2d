"""Items: elements that may come next, with what is left behind them."""

from __future__ import annotations

from kaicep.cep.nfa.automaton import PatternDerivatives, items_of
from kaicep.cep.nfa.automaton.pattern_items import InterleavedRest, RepetitionRest, frames, parities
from kaicep.language.nodes import Link
from support.automata import parsed


def first_state(pattern: str) -> list[object]:
    automaton = PatternDerivatives(parsed(pattern), Link.ANY, lambda _: False, lambda _: False)
    (state,) = automaton.beginnings()
    return list(state)


def test_the_continuation_goes_from_the_inside_out() -> None:
    (item,) = first_state("((?a -> ?b){2; ->} -> ?c){2; ->}")
    repetitions = [f for f in frames(item.rest) if isinstance(f, RepetitionRest)]  # type: ignore[attr-defined]
    assert [f.node.span.start for f in repetitions] == sorted((f.node.span.start for f in repetitions), reverse=True)
    assert len(repetitions) == 2
    assert parities(item.rest) == (0, 0)  # type: ignore[attr-defined]


def test_items_of_the_other_sides_of_an_and_wait_in_its_continuation() -> None:
    automaton = PatternDerivatives(parsed("(?a -> ?b) AND ?c"), Link.ANY, lambda _: False, lambda _: False)
    (state,) = automaton.beginnings()
    assert [item.variable for item in state] == ["a", "c"]
    assert {item.variable for item in items_of(state)} == {"a", "c"}
    assert len(list(items_of(state))) > len(state)
    assert all(any(isinstance(f, InterleavedRest) for f in frames(item.rest)) for item in state)


def test_items_of_sides_within_sides_wait_in_what_is_left_inside() -> None:
    """After ?b, what ?c and ?a wait for stands two ANDs deep."""
    automaton = PatternDerivatives(parsed("(?a AND (?b AND ?c)) -> ?d"), Link.ANY, lambda _: False, lambda _: False)
    (state,) = automaton.beginnings()
    (b,) = (item for item in state if item.variable == "b")
    (after,) = automaton.after(b)
    waiting = [item for item in items_of(after) if item.variable is None and item.before == ("b",)]
    assert {item.variable for item in after} == {"a", "c"}
    assert waiting


def test_an_item_knows_the_until_that_it_is_under() -> None:
    (a,) = first_state("?a{1,; ->} UNTIL (?a.x > 1)")
    (until,) = a.untils  # type: ignore[attr-defined]
    assert not until.begun
    assert not until.counts
