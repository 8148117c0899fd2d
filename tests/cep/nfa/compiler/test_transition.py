"""A transition asks an event for its conditions, and gives the registers with it."""

from __future__ import annotations

from typing import Any

from kaicep.cep.nfa.compiler import CompiledPattern, State
from kaicep.cep.nfa.negation_buffer import PartitionBuffers, StopEvents
from support.automata import automaton_of

SECOND = 1_000_000
NOTHING_ELSE = PartitionBuffers((None,), {}, {})


def event(second: float, number: int, *columns: Any) -> tuple[Any, ...]:
    return (int(second * SECOND), number, number - 1, number, *columns)


def followed(compiled: CompiledPattern, state: State, variable: str) -> State:
    place = "abc".index(variable)
    return compiled.moves(state, place, variable).transitions[0].targets[0].state


def taken(compiled: CompiledPattern, events: list[tuple[str, tuple[Any, ...]]], buffers: Any = NOTHING_ELSE) -> Any:
    """The registers when a partial match takes events one after another; `None`: it does not take the last."""
    state, registers = compiled.initial[0], None
    for variable, one in events:
        (target,) = compiled.moves(state, "abc".index(variable), variable).transitions[0].targets
        registers = target.take(registers, one, buffers)
        state = target.state
    return registers


def test_registers_begin_with_the_time_and_the_number_of_the_first_event() -> None:
    compiled = automaton_of("?a -> ?b{1,; ->} -> ?c")
    assert taken(compiled, [("a", event(1, 5))])[:2] == (SECOND, 5)
    assert taken(compiled, [("a", event(1, 5)), ("b", event(2, 6))])[:2] == (SECOND, 5)


def test_the_window_ends_with_its_width() -> None:
    compiled = automaton_of("?a -> ?b{1,; ->} -> ?c")
    assert taken(compiled, [("a", event(0, 0)), ("b", event(3600, 1))]) is not None
    assert taken(compiled, [("a", event(0, 0)), ("b", event(3600.5, 1))]) is None


def test_strict_contiguity_wants_the_very_next_event() -> None:
    compiled = automaton_of("?a => ?b{2; =>}")
    assert taken(compiled, [("a", event(0, 0)), ("b", event(1, 1))]) is not None
    assert taken(compiled, [("a", event(0, 0)), ("b", event(2, 2))]) is None


def test_a_join_compares_with_the_event_that_a_register_holds() -> None:
    compiled = automaton_of("?a -> ?b{1,; ->} -> ?c", "JOIN (?b.x > ?a.x)")
    first = ("a", event(0, 0, 3.0))
    assert taken(compiled, [first, ("b", event(1, 1, 4.0))]) is not None
    assert taken(compiled, [first, ("b", event(1, 1, 2.0))]) is None
    assert taken(compiled, [first, ("b", event(1, 1, None))]) is None


def test_an_aggregate_is_asked_when_its_repetition_is_complete() -> None:
    compiled = automaton_of("?a -> ?b{1,; ->} -> ?c", "JOIN (?c.x > SUM(?b.x))")
    come = [("a", event(0, 0)), ("b", event(1, 1, 2.0)), ("b", event(2, 2, 3.0))]
    assert taken(compiled, [*come, ("c", event(3, 3, 5.5))]) is not None
    assert taken(compiled, [*come, ("c", event(3, 3, 5.0))]) is None


def test_an_until_ends_the_repetition() -> None:
    compiled = automaton_of("?a -> ?b{1,; ->} UNTIL (?b.x > 5) -> ?c")
    (start,) = compiled.conditions.stops
    stops = StopEvents()
    buffers = PartitionBuffers((None,), {}, {start: stops})
    come = [("a", event(0, 0)), ("b", event(1, 1))]
    assert taken(compiled, [*come, ("b", event(3, 3))], buffers) is not None
    stops.add([event(2, 2)])
    assert taken(compiled, [*come, ("c", event(4, 4))], buffers) is not None
    assert taken(compiled, [*come, ("b", event(3, 3))], buffers) is None


def test_the_loop_takes_on_what_the_single_function_takes() -> None:
    """Those that stay are given back; what the window has left behind is dropped."""
    compiled = automaton_of("?a -> ?b{1,; ->} -> ?c", "JOIN (?b.x > ?a.x)")
    state = followed(compiled, compiled.initial[0], "a")
    matches = [
        (state, taken(compiled, [("a", event(t, n, x))]), (1, None, 0, event(t, n, x)))
        for n, (t, x) in enumerate([(0, 1.0), (3000, 9.0), (3000.5, 2.0)])
    ]
    moves = compiled.moves(state, 1, "b")
    assert moves.advance is not None
    made: list[Any] = []
    late = event(3601, 7, 5.0)
    assert moves.advance(matches, late, NOTHING_ELSE, 1, made) == [matches[1]]
    (target,) = moves.transitions[0].targets
    assert made == [(target.state, target.take(matches[2][1], late, NOTHING_ELSE), (1, matches[2][2], 1, late))]


def test_no_register_has_the_name_of_what_conditions_call() -> None:
    """Else a local name would hide a function of an aggregate."""
    compiled = automaton_of("?a -> ?b{1,; ->} -> ?c", "JOIN (?c.x > SUM(?b.x) AND ?c.x > MAX(?b.x))")
    taken(compiled, [("a", event(0, 0)), ("b", event(1, 1, 2.0)), ("c", event(2, 2, 9.0))])
    assert not any(name.startswith("y") for name in compiled.code.source.names)
