"""What a consumption mode goes with."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.errors import QueryTypeError
from support.mode_queries import CONTENT

PROJECT = Project.parse(CONTENT)


@pytest.mark.parametrize(
    ("pattern", "policy", "message"),
    [
        ("?a, ?b", "chronicle", r"without bound"),
        ("?a -> ?b", "recent", "pairs the events of two plain variables"),
        ("?a, ?b, ?c", "continuous KEEP ?a: 1 events, ?b: 1 events", "pairs the events of two variables only"),
        ("?a, ?b, ?c", "chronicle KEEP ?a: 1 events", "without bound"),
        ("?a AND ?b AND ?c", "chronicle KEEP ?a: 1 events, ?b: 1s", "without bound"),
        ("?a, ?b+", "recent", "pairs the events of two plain variables"),
        ("?a, ?b", "recent AFTER MATCH SKIP PAST LAST EVENT", "AFTER MATCH beside POLICY recent"),
        ("?a, ?b", "recent BY ?a: ?b.x", r"BY \?a is about events of \?a alone"),
        ("?a, ?b", "recent KEEP ?a: 0 events", "KEEP nothing"),
        ("?a, ?b", "recent BY ?a: ?a.x, ?a: ?a.p", "named twice"),
    ],
)
def test_what_no_mode_goes_with_is_refused(pattern: str, policy: str, message: str) -> None:
    sources = ", ".join(f"(?{v}, S)" for v in "abc" if f"?{v}" in pattern)
    with pytest.raises(QueryTypeError, match=message):
        PROJECT.compile(f"SELECT ?a.id FROM {sources} WHERE {{ SEQ ({pattern}) }} POLICY {policy}")


def test_keep_bounds_what_waits_and_the_normal_form_says_so() -> None:
    (query,) = PROJECT.compile(
        "SELECT ?a.id FROM (?a, S), (?b, S) SEQ (?a, ?b) POLICY Chronicle BY ?a: ?a.p KEEP ?a: 2 events, ?b: 3s"
    )
    assert "POLICY chronicle BY ?a: ?a.p KEEP ?a: 2 events, ?b: 3s" in query.normal
    assert query.retention is None


def test_cumulative_makes_no_runs_of_what_paths_bind() -> None:
    text = "SELECT ?a.id, ?c FROM (?a, S), (?b, S) PATH { ?a a ?c } SEQ (?a, ?b) WINDOW (?a, ?b, 1h) POLICY cumulative"
    with pytest.raises(QueryTypeError, match="makes runs of events, not of what PATHs bind"):
        PROJECT.compile(text)


def test_windows_tie_what_is_paired_first() -> None:
    """A pair of ?a and ?b has no bound before ?c comes."""
    text = "SELECT ?a.id FROM (?a, S), (?b, S), (?c, S) SEQ (?a, ?b, ?c) {} POLICY chronicle"
    PROJECT.compile(text.format("WINDOW (?a, ?b, 1min) WINDOW (?b, ?c, 1min)"))
    with pytest.raises(QueryTypeError, match=r"no WINDOW ties \?b"):
        PROJECT.compile(text.format("WINDOW (?a, ?c, 1min) WINDOW (?b, ?c, 1min)"))


def test_a_sliding_window_is_said_by_keep() -> None:
    text = "SELECT ?a.id FROM (?a, S), (?b, S) SEQ (?a AND ?b) WINDOW (?a, sliding, 5s) POLICY recent"
    with pytest.raises(QueryTypeError, match=r"1:52: a sliding window beside POLICY recent[^$]*KEEP \?a: 5s"):
        PROJECT.compile(text)


def test_attributes_of_windows_are_not_asked_beside_for_of_what_is_paired() -> None:
    text = (
        "CREATE CONTEXTS road (calm DEFAULT, hot); INITIATE CONTEXT hot FROM (?e, S);"
        "SELECT ?a.id, ?w._since AS since FROM (?a, S), (?b, S) IN CONTEXT hot AS ?w FOR ?a SEQ (?a, ?b) POLICY recent"
    )
    with pytest.raises(QueryTypeError, match="attributes of windows beside FOR, in a pattern with POLICY recent"):
        PROJECT.compile(text)
    PROJECT.compile(text.replace(" FOR ?a", ""))
