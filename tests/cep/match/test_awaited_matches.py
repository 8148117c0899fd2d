"""Matches of joins whose NOTs or timers go on: when they become true, and what ends them."""

from __future__ import annotations

import pytest
from kaicep import Project
from support.mode_queries import CONTENT, at

PROJECT = Project.parse(CONTENT)


def found(pattern: str, came: str, clauses: str = "", windows: str = "WINDOW (?a, ?b, 9s)") -> list[tuple[str, float]]:
    """The events of matches, and the second in which they became true, of letters that come second by second."""
    rows = [{"id": f"{k}{i}", "t": at(i).isoformat(), "k": k} for i, k in enumerate(came)]
    named = [v for v in "abn" if f"?{v}" in pattern]
    sources, filters = (", ".join(f"(?{v}, S)" for v in named), " ".join(f"FILTER (?{v}.k = '{v}')" for v in named))
    text = f"SELECT ?a.id FROM {sources} WHERE {{ {filters} SEQ ({pattern}) {windows} }} {clauses}"
    reported = PROJECT.evaluate(text, {"S": rows})
    return [
        (" ".join(e.rpartition("/")[2] for own in row["_events"].values() for e in own), (row["_time"] - at(0)).seconds)
        for row in reported
    ]


@pytest.mark.parametrize(
    ("came", "expected"),
    [
        ("abxxx", [("a0 b1", 4)]),
        ("abxxxn", [("a0 b1", 4)]),
        ("abxn", []),
        ("abbn", []),
        ("abb", [("a0 b1", 4), ("a0 b2", 5)]),
    ],
)
def test_a_match_waits_until_its_last_not_is_over(came: str, expected: list[tuple[str, float]]) -> None:
    assert found("?a ->> ?b, NOT ?n FOR 3s", came) == expected


@pytest.mark.parametrize(
    ("came", "expected"),
    [
        ("abxxxxxxxx", [("a0 b1", 3), ("a0 b1", 5), ("a0 b1", 7), ("a0 b1", 9)]),
        ("abxxnxxxxx", [("a0 b1", 3)]),  # what ends it comes before the second moment
    ],
)
def test_every_recurs_until_its_window_or_an_event_ends_it(came: str, expected: list[tuple[str, float]]) -> None:
    assert found("?a, ?b, EVERY 2s UNTIL ?n", came) == expected


def test_what_after_match_forbids_recurs_no_more() -> None:
    every = "?a, ?b, EVERY 2s UNTIL ?n"
    assert found(every, "abxbxx", "AFTER MATCH CONSUME") == [("a0 b1", 3)]
