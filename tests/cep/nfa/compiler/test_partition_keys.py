"""Which events can meet in a match at all: PARTITION BY, and JOINs that say that something is equal."""

from __future__ import annotations

import pytest
from kaicep.cep.nfa.compiler import PatternConditions, keys_of
from support.automata import query_of

SAME = ("JOIN (?a.group = ?b.group)", "JOIN (?b.group = ?c.group)")


def joined(pattern: str, *clauses: str) -> set[str]:
    query = query_of(pattern, *clauses)
    found = PatternConditions(query)
    return set(keys_of(query, found.scopes, relaxed=found.relaxed).joined)


@pytest.mark.parametrize(
    ("pattern", "clauses", "variables"),
    [
        ("?a -> ?b{1,; ->} -> ?c", SAME, "abc"),
        ("?a -> ?b{1,; ->} -> ?c", SAME[:1], ""),
        ("?a -> ?b{1,; ->} -> ?c", ("JOIN (?a.group = ?c.group)", "JOIN (?b.group = ?c.group)"), ""),
        ("?a ->> ?b{1,2; ->>} ->> ?c", ("JOIN (?a.group = ?c.group)", "JOIN (?b.group = ?c.group)"), "abc"),
        ("?a{1,; ->} -> ?b -> ?c", SAME, ""),
    ],
    ids=["each with one before it", "not all", "with one behind it", "whatever came first", "a repeated first one"],
)
def test_what_joins_tell_apart(pattern: str, clauses: tuple[str, ...], variables: str) -> None:
    """Events of other partitions must not be in the way: each but the first is compared with one before it."""
    assert joined(pattern, *clauses) == set(variables)


def test_partition_by_is_shared_by_all_variables() -> None:
    query = query_of("?a -> NOT ?n -> ?b{1,; ->}", "PARTITION BY group")
    found = PatternConditions(query)
    assert set(keys_of(query, found.scopes, relaxed=False).shared) == {"a", "n", "b"}
    assert all(len(columns) == 1 for columns in keys_of(query, found.scopes, relaxed=False).shared.values())


@pytest.mark.parametrize(
    ("pattern", "clauses", "variables"),
    [
        ("?a ->> ?b ->> ?c", ("JOIN (?a.group = ?c.group)", "JOIN (?b.group = ?c.group)"), ""),
        ("?a ->> ?b ->> ?c", SAME, "abc"),
        ("?a AND ?b AND ?c", SAME, ""),
        ("?a AND ?b AND ?c", (*SAME, "JOIN (?a.group = ?c.group)"), "abc"),
    ],
)
def test_partial_matches_are_told_apart_by_what_is_decided(
    pattern: str, clauses: tuple[str, ...], variables: str
) -> None:
    query = query_of(pattern, *clauses)
    found = PatternConditions(query, watched=True)
    assert set(keys_of(query, found.scopes, relaxed=True, watched=True).joined) == set(variables)
