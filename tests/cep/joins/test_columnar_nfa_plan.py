"""The states of columnar automata: which elements are enabled after which events (docs/semantics.md 3.8)."""

from __future__ import annotations

from kaicep.cep.joins.columnar_nfa_plan import START, ColumnarState, compile_states
from kaicep.cep.joins.match_finder import named_variables
from kaicep.cep.joins.pattern_plan import plan_pattern
from kaicep.cep.limits import Ceilings
from kaicep.language.nodes import Link
from support.letter_readings import text_of
from support.operators import compiled


def states(pattern: str, *clauses: str) -> tuple[ColumnarState, ...]:
    query = compiled(text_of(pattern, *clauses))
    return compile_states(plan_pattern(query), named_variables(query), Ceilings(query))


def test_a_sequence_is_a_line_of_states() -> None:
    start, one, two = states("?a -> ?b")
    assert [state.bound for state in (start, one, two)] == [set(), {"a"}, {"a", "b"}]
    assert [(t.variable, t.link, t.since, t.target) for t in one.steps] == [("b", Link.NEXT, frozenset("a"), 2)]
    assert (one.complete, two.complete, two.steps) == ((), (0,), ())


def test_the_parts_of_an_and_come_in_any_order() -> None:
    found = states("?a -> (?b AND ?d)")
    assert [sorted(state.bound) for state in found] == [[], ["a"], ["a", "b"], ["a", "d"], ["a", "b", "d"]]
    assert {t.variable for t in found[1].steps} == {"b", "d"}
    assert {t.target for state in found[2:4] for t in state.steps} == {4}


def test_the_sides_of_an_or_end_in_states_of_their_own() -> None:
    found = states("?a -> (?b OR ?d)")
    assert [state.complete for state in found] == [(), (), (0,), (1,)]
    left, right = found[1].steps
    assert (left.rivals, right.rivals) == (frozenset(), frozenset("b"))


def test_a_not_is_decided_with_the_element_behind_it_unless_a_join_speaks_of_a_later_one() -> None:
    assert [n.variable for t in states("?a -> NOT ?n -> ?b")[1].steps for n in t.refuting] == ["n"]
    later = states("?a -> NOT ?n -> ?b", "JOIN (?n.n = ?b.n)")[1].steps
    assert [([n.variable for n in t.refuting], [n.variable for n in t.negations]) for t in later] == [([], ["n"])]


def test_what_is_passed_over_is_of_no_account_where_every_link_is_any() -> None:
    assert all(state.loose for state in states("?a ->> NOT ?n ->> ?b"))
    assert not states("?a -> ?b")[1].loose
    assert states("?a -> ?b")[START].loose
