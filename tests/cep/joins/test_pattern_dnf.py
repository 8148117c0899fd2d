"""SEQ without repetition as a disjunction of partial orders (docs/semantics.md 3.5)."""

from __future__ import annotations

import pytest
from kaicep.cep.joins.pattern_dnf import PartialOrder, disjuncts, vectorisable
from kaicep.cep.match import NegationConstraint
from kaicep.errors import OperatorError
from kaicep.language.nodes import Link
from support.letter_readings import text_of
from support.operators import compiled


def orders(pattern: str, *clauses: str) -> tuple[PartialOrder, ...]:
    return disjuncts(compiled(text_of(pattern, *clauses)))


def test_without_seq_nothing_is_ordered() -> None:
    (order,) = disjuncts(compiled("SELECT ?a.n FROM (?a, readings), (?b, readings) WINDOW (?a, ?b, 5s)"))
    assert (order.variables, order.before) == (("a", "b"), {"a": frozenset(), "b": frozenset()})


def test_a_sequence_orders_everything_in_it_and_an_and_leaves_its_parts_unordered() -> None:
    (order,) = orders("?a -> (?b AND ?d) ->> ?f")
    assert order.before == {"a": set(), "b": {"a"}, "d": {"a"}, "f": {"a", "b", "d"}}
    assert order.links == {"a": Link.ANY, "b": Link.NEXT, "d": Link.NEXT, "f": Link.ANY}
    assert order.sides["b"] == (frozenset("bd"),)
    assert order.sides["f"] == ()


def test_an_or_makes_a_disjunct_of_each_side() -> None:
    left, right = orders("?a -> (?b OR (?d, ?f))")
    assert (left.variables, right.variables) == (("a", "b"), ("a", "d", "f"))
    assert (left.rivals["b"], right.rivals["d"]) == (frozenset(), frozenset("b")), "the left side is tried first"
    assert all(not order.rivals["b"] for order in orders("?a ->> (?b OR ?d)")[:1])


def test_nots_know_what_stands_around_them() -> None:
    (order,) = orders("?a, NOT ?n FOR 2s, ?b => NOT ?m")
    assert order.negations == (
        NegationConstraint("n", frozenset("a"), frozenset("b"), 2_000_000, strict=False),
        NegationConstraint("m", frozenset("ab"), frozenset(), None, strict=True),
    )
    assert [negation.ends_later for negation in order.negations] == [False, True]


def test_what_repeats_is_answered_by_automata() -> None:
    repeated = compiled(text_of("?a, ?b+"))
    assert not vectorisable(repeated)
    assert not vectorisable(compiled(text_of("?f, (?a, ?b){2}")))
    assert vectorisable(compiled(text_of("?a, (?b OR NOT ?n FOR 1s)")))
    with pytest.raises(OperatorError, match="a repetition is not answered by joins of columns"):
        disjuncts(repeated)
