"""Queries as their states are held: whole events, and every order of what JOIN alone ties."""

from __future__ import annotations

from datetime import timedelta

from kaicep import Project
from kaicep.cep.query_state import finds_more_when_watched, watch
from kaicep.language.nodes import Conjunction, SlidingWindow
from support.context_examples import examples

PROJECT = Project.parse(examples("state_examples")[0].content)


def test_variables_of_joins_come_in_any_order() -> None:
    text = "SELECT ?a.id FROM (?a, MTR), (?b, MTR) JOIN (?a.reading = ?b.reading)"
    windows = "WINDOW (?a, sliding, 10min) WINDOW (?b, sliding, 5 events)"
    watched = watch(PROJECT.compile(f"{text} {windows}")[0])
    assert isinstance(watched.pattern, Conjunction)
    assert watched.windows == ()
    assert {"building", "id", "reading"} <= set(watched.sources[0].columns)


def test_sliding_windows_hold_what_they_held_at_the_moment() -> None:
    for extent, wider in (("10min", timedelta(minutes=10, microseconds=1)), ("3 events", 4)):
        (query,) = PROJECT.compile(f"SELECT COUNT(?m) AS n FROM (?m, MTR) WINDOW (?m, sliding, {extent})")
        (window,) = watch(query).windows
        assert isinstance(window, SlidingWindow)
        assert window.extent == wider


def test_what_comes_in_between_decides_about_a_seq_as_it_stands() -> None:
    """An AND with another variable would say something else."""
    text = "SELECT ?a.id FROM (?a, MTR), (?b, MTR), (?c, MTR) JOIN (?a.id = ?c.id) SEQ ({}) WINDOW (?a, ?b, ?c, 1h)"
    for pattern, apart in (("?a, ?b", False), ("?a -> ?b", True), ("?a, AFTER 5s, ?b", True), ("?a, ?b{2; ->}", True)):
        (query,) = PROJECT.compile(text.format(pattern))
        assert (watch(query).pattern == query.pattern) is apart


def test_modes_keep_their_pattern() -> None:
    (query,) = PROJECT.compile("SELECT ?a.id FROM (?a, MTR), (?b, MTR) SEQ (?a AND ?b) POLICY recent")
    assert watch(query).pattern == query.pattern


def test_sliding_windows_beside_limit_find_more_when_watched() -> None:
    text = "SELECT ?a.id FROM (?a, MTR), (?b, MTR) JOIN (?a.id = ?b.id) {}"
    sliding, plain = "WINDOW (?a, sliding, 1h) WINDOW (?b, sliding, 1h)", "WINDOW (?a, ?b, 1h)"
    for windows, more in ((f"{sliding} LIMIT 3", True), (sliding, False), (f"{plain} LIMIT 3", False)):
        (query,) = PROJECT.compile(text.format(windows))
        assert finds_more_when_watched(query) is more
