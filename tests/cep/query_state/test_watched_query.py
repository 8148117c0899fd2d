"""Queries as their states are held: whole events, and every order of what JOIN alone ties."""

from __future__ import annotations

from datetime import timedelta

from kaicep import Project
from kaicep.cep.query_state import watch
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
