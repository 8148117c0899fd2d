"""A query over several events taken apart into keys, bounds and conditions."""

from __future__ import annotations

from kaicep.cep.joins.pattern_plan import plan_pattern
from kaicep.cep.order import UNBOUNDED
from kaicep.cep.settled_query import settled_query
from support.letter_readings import text_of
from support.operators import compiled

SECOND = 1_000_000


def test_a_logical_pattern_is_cut_at_its_ands() -> None:
    """Where the constraints alone say what matches, each conjunct is asked as early as possible."""
    join = "JOIN (?a.n = ?b.n AND ?a.x < ?b.x AND ?a.x > 1)"
    plan = plan_pattern(compiled(text_of("?a ->> ?b", join)))
    assert plan.logical
    assert [key.expressions.keys() for key in plan.keys] == [{"a", "b"}]
    assert [condition.variables for condition in plan.conditions] == [{"a", "b"}]
    assert {v: len(own) for v, own in plan.own.items()} == {"a": 1, "b": 0}


def test_sums_of_integers_are_keys_that_do_not_decide() -> None:
    """They may leave 64 bits: what is equal is equal as doubles, and then it is asked again."""
    plan = plan_pattern(settled_query(compiled(text_of("?a ->> ?b", "JOIN (?a.n + 1 = ?b.n)"))))
    assert [key.expressions.keys() for key in plan.keys] == [{"a", "b"}]
    assert [condition.variables for condition in plan.conditions] == [{"a", "b"}]


def test_sums_of_three_variables_are_bounded_where_all_of_them_are_bound() -> None:
    join = "JOIN (?a.x + ?b.x < ?d.x) JOIN (?a.x + ?b.x < ?c.x)"
    plan = plan_pattern(compiled(text_of("?a ->> ?b ->> (?c OR ?d)", join)))
    assert [{frozenset(one.terms) for one in disjunct.sums} for disjunct in plan.disjuncts] == [
        {frozenset("abc")},
        {frozenset("abd")},
    ]


def test_a_join_is_asked_as_a_whole_where_it_decides_which_event_is_taken() -> None:
    plan = plan_pattern(compiled(text_of("?a -> ?b -> ?d", "JOIN (?b.n = 5 AND ?d.n = 1)")))
    assert not plan.logical
    assert all(condition.variables == {"b", "d"} for condition in plan.conditions)
    assert not any(plan.own.values())


def test_what_is_asked_of_matches_is_counted_by_clause() -> None:
    """In the words of the query, not as integers that may leave 64 bits are asked; what NOT asks is no part of it."""
    clauses = [
        "JOIN (?a.n + 1 = ?b.n AND ?a.x <  ?b.x)",
        "JOIN (?n.x = ?a.x)",
        "PARTITION BY sensor",
        "HAVING ?b.x > 1",
    ]
    plan = plan_pattern(settled_query(compiled(text_of("?a ->> NOT ?n ->> ?b", *clauses))))
    assert [(count.clause, count.text, count.looked_up) for count in plan.counts] == [
        ("PARTITION BY", "sensor", True),
        ("JOIN", "?a.n + 1 = ?b.n", True),
        ("JOIN", "?a.n + 1 = ?b.n", False),
        ("JOIN", "?a.x < ?b.x", False),
        ("HAVING", "?b.x > 1", False),
    ]


def test_partitions_are_keys_in_which_unbound_is_a_value() -> None:
    plan = plan_pattern(compiled(text_of("?a, ?b", "PARTITION BY sensor")))
    assert [(set(key.expressions), key.nulls_match) for key in plan.keys] == [({"a", "b"}, True)]


def test_bounds_follow_from_order_windows_and_for() -> None:
    plan = plan_pattern(compiled(text_of("?a, NOT ?n FOR 2s, ?b", window="5s")))
    (disjunct,) = plan.disjuncts
    assert disjunct.reach["b", "a"] == 5 * SECOND
    assert disjunct.reach["a", "b"] == -2 * SECOND - 1
    assert set(disjunct.bounds) == {"b"}, "only b can be the last event"
    assert plan.shortest == 5 * SECOND


def test_without_a_window_nothing_is_bounded() -> None:
    windows = "WINDOW (?a, sliding, 3 events) WINDOW (?b, sliding, 2 events)"
    query = compiled(f"SELECT ?a FROM (?a, readings), (?b, readings) JOIN (?a.n = ?b.n) {windows}")
    (disjunct,) = plan_pattern(query).disjuncts
    assert disjunct.reach["a", "b"] == UNBOUNDED
    assert disjunct.counts == {"a": 3, "b": 2}
    assert set(disjunct.bounds) == {"a", "b"}


def test_having_is_asked_of_complete_matches_unless_constraints_alone_decide() -> None:
    assert plan_pattern(compiled(text_of("?a ->> ?b", "HAVING ?b.n > 1"))).verdicts == ()
    assert len(plan_pattern(compiled(text_of("?a -> ?b", "HAVING ?b.n > 1"))).verdicts) == 1


def test_what_a_plan_with_other_bounds_has_counted_is_counted_and_begins_anew() -> None:
    text = "SELECT ?a.n FROM (?a, readings), (?b, readings) WHERE {{ JOIN (?b.x < ?a.x + {}) WINDOW (?a, ?b, 5s) }}"
    own, other = (plan_pattern(settled_query(compiled(text.format(bound)))) for bound in (1, 6))
    (count,), (of_other,) = own.counted, other.counted
    count.add(3, 1)
    of_other.add(10, 4)
    for plan in (other, own):
        own.take_counts(plan)
        assert (count.asked, count.held) == (13, 5)
    assert (of_other.asked, of_other.held) == (0, 0)
