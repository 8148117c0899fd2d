"""Registers with an event are computed once, where they are first asked for; those at hand are not computed at all."""

from __future__ import annotations

from kaicep.cep.nfa.compiler import CompiledPattern, State
from kaicep.cep.nfa.compiler.register_updates import RegisterUpdates
from kaicep.cep.nfa.compiler.registers import FIRST, SEEN, Register
from support.automata import automaton_of

PATTERN = "?a -> ?b{1,; ->} -> ?c"


def updates(compiled: CompiledPattern, state: State, variable: str) -> RegisterUpdates:
    """Those of the transition that takes the variable."""
    place = "abc".index(variable)
    (target,) = compiled.moves(state, place, variable).transitions[0].targets
    (item,) = (item for item in state.items if item.variable == variable)
    return RegisterUpdates(compiled.code, state, item, target.state, begins=state in compiled.initial)


def second(compiled: CompiledPattern) -> RegisterUpdates:
    """Those with the first ?b."""
    state = compiled.moves(compiled.initial[0], 0, "a").transitions[0].targets[0].state
    return updates(compiled, state, "b")


def test_there_is_nothing_before_the_first_event() -> None:
    compiled = automaton_of(PATTERN, "JOIN (?b.x > ?a.x)")
    first = updates(compiled, compiled.initial[0], "a")
    assert (first.old(FIRST), first.new(FIRST), first.new(Register("last", "a"))) == ("None", "e[0]", "e")
    assert first.lines == []


def test_what_does_not_change_is_read_where_it_stands() -> None:
    found = second(automaton_of(PATTERN, "JOIN (?b.x > ?a.x)"))
    place = found.conditions.registers.place(Register("last", "a"))
    assert found.new(FIRST) == found.old(FIRST) == "r[0]"
    assert found.new(Register("last", "a")) == f"r[{place}]"
    assert found.lines == []


def test_what_is_computed_is_computed_once() -> None:
    compiled = automaton_of(PATTERN, "JOIN (?c.x > SUM(?b.x))")
    found = second(compiled)
    (total,) = compiled.conditions.registers.aggregates
    name = found.new(total)
    assert found.new(total) == name
    (line,) = found.lines
    assert line.startswith(f"{name} = ")
    assert f"{name}," in found.values()


def test_what_is_kept_for_later_stays_nothing_while_it_is_nothing() -> None:
    found = second(automaton_of(PATTERN))
    pending = Register("absent", "n")
    found.keep(pending, "(rows)")
    found.keep(pending, "(more)")
    assert found.lines == ["w0 = (*(rows),) or None", "w1 = (*(w0 or ()), *(more),) or None"]
    assert found.known(pending) == "w1"
    found.put(pending, "None")
    assert found.known(pending) == "None"


def test_strict_contiguity_remembers_the_event_before() -> None:
    assert second(automaton_of("?a -> ?b{2; =>}")).new(SEEN) == "e[1]"
