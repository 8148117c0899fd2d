"""NOTs are asked as soon as what their JOINs speak of is known; until then what they look at is kept."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.cep.nfa.negation_buffer import NegationBuffer, PartitionBuffers
from support.automata import automaton_of

SECOND = 1_000_000


def event(second: float, number: int, *columns: Any) -> tuple[Any, ...]:
    return (int(second * SECOND), number, number - 1, number, *columns)


def taken(pattern: str, clauses: list[str], absent: tuple[Any, ...], *events: tuple[str, tuple[Any, ...]]) -> bool:
    """Whether a partial match takes all the events where a candidate of ?n has come; the last may be refused only."""
    compiled = automaton_of(pattern, *clauses)
    candidates = NegationBuffer()
    candidates.add([absent])
    buffers = PartitionBuffers((None,), {"n": candidates}, {})
    state, registers = compiled.initial[0], None
    for place, (variable, one) in enumerate(events):
        (target,) = compiled.moves(state, "abc".index(variable), variable).transitions[0].targets
        registers = target.take(registers, one, buffers)
        assert registers is not None or place == len(events) - 1
        state = target.state
    return registers is not None


@pytest.mark.parametrize(("second", "free"), [(0.5, False), (1.5, True), (0, True), (1, True)])
def test_a_not_looks_at_the_candidates_between_two_events(second: float, free: bool) -> None:
    events = [("a", event(0, 0)), ("b", event(1, 2))]
    assert taken("?a -> NOT ?n -> ?b{1,; ->} -> ?c", [], event(second, 1), *events) is free


@pytest.mark.parametrize(("second", "free"), [(5, False), (6, False), (6.5, True)])
def test_for_is_as_long_as_it_says(second: float, free: bool) -> None:
    events = [("a", event(0, 0)), ("b", event(7, 2))]
    assert taken("?a -> NOT ?n FOR 6s -> ?b{1,; ->} -> ?c", [], event(second, 1), *events) is free


@pytest.mark.parametrize(("value", "free"), [(7.0, False), (8.0, True)])
def test_a_join_with_what_comes_later_is_asked_when_that_has_come(value: float, free: bool) -> None:
    pattern, clauses = "?a -> NOT ?n -> ?b{1,; ->} -> ?c", ["JOIN (?n.x = ?c.x)"]
    events = [("a", event(0, 0, 1.0)), ("b", event(2, 2, 1.0)), ("c", event(3, 3, 7.0))]
    assert taken(pattern, clauses, event(1, 1, value), *events) is free


@pytest.mark.parametrize(("value", "free"), [(1.0, False), (2.0, True)])
def test_a_not_in_a_repetition_speaks_of_that_repetition(value: float, free: bool) -> None:
    """The candidate comes in the first repetition, of which ?b.x is 1."""
    events = [("a", event(0, 0, 0.0)), ("b", event(2, 2, 1.0))]
    assert taken("(?a -> NOT ?n -> ?b){2} -> ?c", ["JOIN (?n.x = ?b.x)"], event(1, 1, value), *events) is free
