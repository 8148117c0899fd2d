"""What queries that differ in how tight they are have in common, and how tight each is."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from datetime import timedelta

import pytest
from kaicep.cep.joint import key_of
from kaicep.cep.partitions import LooseForm, bounded_joins, is_loose, loose_form, loosened, loosest
from kaicep.cep.settled_query import settled_query
from kaicep.language.nodes import CorrelationWindow, Query, expression_text
from support.operators import compiled

MINUTE = 60_000_000


def pair(join: str, *, seconds: int = 60, sequence: str = "?a, ?b", more: str = "") -> Query:
    """Two readings."""
    sources = "(?a, readings), (?b, readings), (?n, readings)" if more else "(?a, readings), (?b, readings)"
    listed = "?a, ?b, ?n" if more else "?a, ?b"
    text = f"SELECT ?a.x FROM {sources} JOIN ({join}) SEQ ({sequence}) WINDOW ({listed}, {seconds}s)"
    return settled_query(compiled(text))


def key(form: LooseForm) -> Hashable:
    """What it says, without the text that it was made from."""
    return key_of(replace(form.query, normal=""))


@pytest.mark.parametrize(
    ("tight", "loose"),
    [
        ("?b.x < ?a.x - 7", "?b.x < ?a.x - 6"),
        ("?b.x <= 6 + ?a.x", "?b.x <= 7 + ?a.x"),
        ("?b.x > ?a.x + 7", "?b.x > ?a.x + 6"),
        ("?a.x + 6 >= ?b.x", "?a.x + 7 >= ?b.x"),
        ("6 - ?a.x > ?b.x", "7 - ?a.x > ?b.x"),
        ("?a.x - ?b.x > 7", "?a.x - ?b.x > 6"),
        ("7e0 < ?a.x - ?b.x", "6.5e0 < ?a.x - ?b.x"),
        ("?a.n = ?b.n AND ?b.x < ?a.x - 7", "?a.n = ?b.n AND ?b.x < ?a.x - 6"),
    ],
)
def test_the_greater_bound_is_the_looser(tight: str, loose: str) -> None:
    one, other = loose_form(pair(tight)), loose_form(pair(loose))
    assert key(one) == key(other)
    assert one.bounds[-1] == other.bounds[-1] == MINUTE
    assert one.bounds[0] < other.bounds[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("?a.x < ?b.x - 1", "?a.x < ?b.x + 1"),
        ("?a.x < ?b.x - 1", "?a.x <= ?b.x - 1"),
        ("?a.x < ?b.x - 1", "?a.x < ?b.x - 1e0"),
        ("?a.x = ?b.x - 1", "?a.x = ?b.x - 2"),
        ("?a.x < ?b.x * 2", "?a.x < ?b.x * 3"),
        ("?a.x < ?b.n - 1", "?a.x < ?b.n - 2"),
        ("NOT (?a.x < ?b.x - 1)", "NOT (?a.x < ?b.x - 2)"),
        ("?a.x < ?b.x - 1 OR ?a.n = ?b.n", "?a.x < ?b.x - 2 OR ?a.n = ?b.n"),
        ("?a.x > 1 AND ?a.n = ?b.n", "?a.x > 2 AND ?a.n = ?b.n"),
    ],
)
def test_all_else_is_no_bound(one: str, other: str) -> None:
    assert key(loose_form(pair(one))) != key(loose_form(pair(other)))


def test_what_compares_with_an_event_under_not_has_none() -> None:
    query = pair("?a.x < ?b.x - 3 AND ?n.x < ?b.x - 2", sequence="?a, NOT ?n, ?b", more="n")
    assert loose_form(query).bounds == (-3, MINUTE)
    assert [expression_text(e) for e in bounded_joins(query)] == ["?a.x < (?b.x - 3)"]


def test_windows_beside_not_for_are_none() -> None:
    assert loose_form(pair("?a.x < ?b.x", sequence="?a, NOT ?n FOR 5s, ?b", more="n")).bounds == ()


def test_a_query_may_be_given_others() -> None:
    query = pair("?b.x < ?a.x - 7")
    wide = loosened(query, loosest([(-9, MINUTE), (-6, 2 * MINUTE), (-8, 1)]))
    assert expression_text(wide.joins[0]) == "?b.x < (?a.x - 6)"
    assert [w.width for w in wide.windows if isinstance(w, CorrelationWindow)] == [timedelta(minutes=2)]
    assert loosened(wide, loose_form(query).bounds) == query


@pytest.mark.parametrize("join", ["?a.x < ?b.x - 3", "?a.n = ?b.n"])
def test_a_sequence_outside_of_contexts_is_loose(join: str) -> None:
    assert is_loose(pair(join))


def test_what_must_be_absent_decides_by_more_than_candidates() -> None:
    assert not is_loose(pair("?a.x < ?b.x", sequence="?a, NOT ?n, ?b", more="n"))
