"""Conditions as Python source: what is read from registers, and what is said where nothing stands there."""

from __future__ import annotations

from kaicep.cep.nfa.compiler import CodeGenerator, JoinCondition
from kaicep.cep.nfa.compiler.registers import Register
from support.automata import ALWAYS, automaton_of


def generator(pattern: str, *clauses: str) -> tuple[CodeGenerator, JoinCondition]:
    conditions = automaton_of(pattern, *clauses).conditions
    return CodeGenerator(conditions, ALWAYS), conditions.conditions[0]


PATTERN = "?a -> ?b{1,; ->} -> ?c"


def test_functions_are_compiled_from_lines() -> None:
    code, _ = generator(PATTERN, "JOIN (?b.x > ?a.x)")
    assert code.compiled("x, y", ["z = x + y", "return 2 * z"])(1, 2) == 6


def test_a_condition_holds_of_what_has_not_come() -> None:
    code, condition = generator(PATTERN, "JOIN (?b.x > ?a.x)")
    assert code.holds(condition, lambda _: "None", tested="b") == "True"


def test_a_condition_of_an_event_and_a_register() -> None:
    code, condition = generator(PATTERN, "JOIN (?b.x > ?a.x)")
    test = code.compiled("e, r", [f"return {code.holds(condition, lambda _: 'r', tested='b')}"])
    low, high = (0, 0, 0, 0, 1.0), (0, 0, 0, 0, 2.0)
    assert test(high, low)
    assert not test(low, high)
    assert test(low, None)
    assert not test((0, 0, 0, 0, None), low)


def test_what_looks_back_beyond_the_first_event_holds() -> None:
    code, condition = generator(PATTERN, "JOIN (?b.x > PREV(?b.x))")
    test = code.compiled("e, r", [f"return {code.holds(condition, lambda _: 'r', tested='b')}"])
    assert test((0, 0, 0, 0, 1.0), None)
    assert not test((0, 0, 0, 0, 1.0), (0, 0, 0, 0, 1.0))


def test_an_aggregate_grows_and_is_read() -> None:
    code, condition = generator(PATTERN, "JOIN (?c.x > SUM(?b.x))")
    (total,) = condition.aggregates
    add = code.compiled("s, e", [f"return {code.aggregate_with(total, 's', 'e')}"])
    value = code.compiled("s", [f"return {code.aggregate_value(total, 's')}"])
    assert value(add(add(None, (0, 0, 0, 0, 1.5)), (0, 0, 0, 0, 2.0))) == 3.5


def test_the_shortest_window_bounds_a_not_at_an_end() -> None:
    code, _ = generator(PATTERN, "JOIN (?b.x > ?a.x)")
    assert code.width == 3_600_000_000
    assert code.before("n", "t", "r[0]") == "p.absent['n'].between(t - 3600000000, r[0] - 1)"
    assert code.latest_of_all(automaton_of(PATTERN).initial[0]) == "r[0] + 3600000000"
    assert Register("first") in automaton_of(PATTERN).conditions.registers
