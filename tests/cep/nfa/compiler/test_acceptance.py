"""Final states: whether a partial match that comes there is a match, and when that is known."""

from __future__ import annotations

from kaicep.cep.nfa.compiler import FinalState
from kaicep.cep.nfa.negation_buffer import NegationBuffer, PartitionBuffers
from support.automata import automaton_of

SECOND = 1_000_000


def final(pattern: str, came: str, *clauses: str) -> FinalState:
    compiled = automaton_of(pattern, *clauses)
    state = compiled.initial[0]
    for variable in came:
        state = compiled.moves(state, "abc".index(variable), variable).transitions[0].targets[0].state
    (found,) = state.finals
    return found


def test_without_conditions_at_the_end_nothing_is_asked() -> None:
    found = final("?a -> ?b{2; ->}", "abb")
    assert (found.holds, found.due, found.awaits, found.leaves) == (None, None, None, frozenset())


def test_a_greedy_end_says_what_it_leaves() -> None:
    assert final("?a -> ?b{1,; ->}", "ab").leaves
    assert not final("?a -> ?b{1,; ->}~", "ab").leaves


def test_a_not_at_the_end_is_known_when_its_interval_is_over() -> None:
    found = final("?a{2; ->} -> NOT ?n FOR 5s", "aa")
    registers = (0, 0, None, (2 * SECOND, 1, 0, 1), None)
    assert found.due is not None
    assert found.conditions == ("NOT ?n FOR 5s",)
    compiled = automaton_of("?a{2; ->} -> NOT ?n FOR 5s")
    place = next(i for i, r in enumerate(compiled.conditions.registers) if (r.kind, r.of) == ("last", "a"))
    filled = tuple((2 * SECOND, 1, 0, 1) if i == place else value for i, value in enumerate(registers))
    assert found.due(filled, 2 * SECOND) == 7 * SECOND
    candidates = NegationBuffer()
    buffers = PartitionBuffers((None,), {"n": candidates}, {})
    assert found.holds is not None
    assert found.holds(filled, 2 * SECOND, buffers, 0, 0)
    candidates.add([(7 * SECOND, 2, 1, 0)])
    assert not found.holds(filled, 2 * SECOND, buffers, 0, 0)


def test_an_aggregate_that_ends_the_pattern_is_asked_at_the_end() -> None:
    found = final("?a -> ?b{1,; ->}", "ab", "JOIN (SUM(?b.x) > ?a.x)")
    assert found.conditions == ("SUM(?b.x) > ?a.x",)
    assert found.holds is not None
