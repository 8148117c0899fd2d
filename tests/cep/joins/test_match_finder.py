"""Matches are found by constraints alone where those say what matches, else by a columnar automaton."""

from __future__ import annotations

import pytest
from kaicep.cep.joins.match_finder import BoundedSearch, build_finder, named_variables
from kaicep.cep.joins.pattern_plan import plan_pattern
from kaicep.cep.limits import Ceilings
from kaicep.cep.partitions import loose_form
from kaicep.cep.settled_query import settled_query
from support.letter_readings import text_of
from support.operators import compiled


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("?a ->> ?b", "_ConstraintSearch"),
        ("?a ->> (?b AND ?d)", "_ConstraintSearch"),
        ("?a ->> ?b ->> NOT ?n FOR 2s", "_ConstraintSearch"),
        ("?a -> ?b", "_NfaSearch"),
        ("?a ->> NOT ?n ->> ?b", "_NfaSearch"),
    ],
)
def test_links_decide_how_matches_are_found(pattern: str, kind: str) -> None:
    """A NOT between elements ends partial matches early, so that an automaton does not enumerate what it refutes."""
    query = compiled(text_of(pattern))
    assert type(build_finder(plan_pattern(query), named_variables(query), Ceilings(query))).__name__ == kind


def test_nots_that_are_decided_with_the_last_event_are_left_to_others() -> None:
    query = compiled(text_of("NOT ?m FOR 1s ->> ?a ->> ?b ->> NOT ?n FOR 2s"))
    undecided = build_finder(plan_pattern(query), named_variables(query), Ceilings(query)).undecided
    assert [negation.variable for negation in undecided[0]] == ["m"]


def test_seq_names_its_elements_without_those_under_not() -> None:
    assert named_variables(compiled(text_of("?a, NOT ?n, ?b", "JOIN (?d.n = ?a.n)"))) == {"a", "b"}
    both = compiled("SELECT ?a FROM (?a, readings), (?b, readings) WINDOW (?a, ?b, 5s)")
    assert named_variables(both) == {"a", "b"}


def test_within_other_bounds_it_is_another_plan_and_within_its_own_the_same() -> None:
    """Which has counted what was asked, and goes on."""
    text = "SELECT ?a.n FROM (?a, readings), (?b, readings) JOIN (?b.x < ?a.x - 7) SEQ (?a, ?b) WINDOW (?a, ?b, 6s)"
    query = settled_query(compiled(text))
    plan, named, ceilings = plan_pattern(query), named_variables(query), Ceilings(query)
    own = BoundedSearch(loose_form(query).bounds, plan, build_finder(plan, named, ceilings))
    assert own.bounds == (-7, 6_000_000)
    wide = own.within((-4, 9_000_000), query, named, ceilings)
    assert (wide.bounds, wide.plan.shortest, own.plan.shortest) == ((-4, 9_000_000), 9_000_000, 6_000_000)
    tests = [str(of.conditions[0].test) for of in (plan, wide.plan)]
    assert tests[1] == tests[0].replace("7", "4") != tests[0]
    again = own.within(own.bounds, query, named, ceilings)
    assert again.plan is plan
    assert again.finder is not own.finder
