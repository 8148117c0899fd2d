"""What a partial match remembers, and in which states: what nothing looks at any more is forgotten."""

from __future__ import annotations

from kaicep.cep.nfa.compiler.registers import Register, lookahead_of, undecided
from support.automata import automaton_of


def live(pattern: str, came: str, *clauses: str) -> set[str]:
    """The kinds of registers that are live once some events have come, but for the two that always are."""
    compiled = automaton_of(pattern, *clauses)
    state = compiled.initial[0]
    for variable in came:
        state = compiled.moves(state, "abc".index(variable), variable).transitions[0].targets[0].state
    return {str(register.kind) for register in state.live} - {"first", "number"}


def test_the_first_two_are_the_time_and_the_number_of_the_first_event() -> None:
    registers = automaton_of("?a -> ?b{1,; ->}").conditions.registers
    assert list(registers) == [Register("first"), Register("number")]
    assert [registers.place(register) for register in registers] == [0, 1]


def test_an_event_is_remembered_while_a_join_may_ask_for_it() -> None:
    pattern, join = "?a -> ?b{1,; ->} -> ?c", "JOIN (?b.x > ?a.x)"
    assert live(pattern, "a", join) == {"last"}
    assert live(pattern, "ab", join) == {"last"}
    assert live(pattern, "abc", join) == set()


def test_an_aggregate_is_remembered_until_its_repetition_is_complete() -> None:
    pattern, join = "?a -> ?b{1,; ->} -> ?c", "JOIN (?c.x > SUM(?b.x))"
    assert "aggregate" in live(pattern, "ab", join)
    assert "aggregate" not in live(pattern, "abc", join)


def test_the_last_event_is_remembered_before_a_strict_link() -> None:
    assert "seen" in live("?a => ?b{2; =>}", "a")
    assert "seen" not in live("?a => ?b{2; =>}", "abb")


def test_aggregates_that_can_be_told_from_one_state_share_it() -> None:
    joins = ("JOIN (?c.x > SUM(?b.x))", "JOIN (?c.x < AVG(?b.x))", "JOIN (?c.x < MAX(?b.x))")
    registers = automaton_of("?a -> ?b{1,; ->} -> ?c", *joins).conditions.registers
    assert len(registers.aggregates) == 2


def test_what_is_not_decided_of_a_not() -> None:
    assert undecided("n", 0, opening=False) == Register("absent", "n")
    assert undecided("n", 0, opening=True) == Register("opening", "n")
    assert undecided("n", 2, opening=False) == Register("suspects", ("n", 2, False))


def test_the_lookahead_tells_what_may_come_in_the_repetition_under_way() -> None:
    compiled = automaton_of("(?a -> ?b){2; ->} -> ?c")
    state = compiled.moves(compiled.initial[0], 0, "a").transitions[0].targets[0].state
    ahead = lookahead_of(state.items, interleaved=False)
    (group,) = ahead.groups
    assert ahead.may("b", group)
    assert not ahead.may("a", group)
    assert ahead.may("a", None)
    assert not ahead.may("c", group)
