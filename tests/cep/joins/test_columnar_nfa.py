"""Links, AND and OR among events that are taken one after the other, as columns (docs/semantics.md 3.5, 3.7)."""

from __future__ import annotations

import pytest
from kaicep.cep import build_operator
from support.letter_readings import ask, readings
from support.operators import compiled, events, feed


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("?a ->> ?b", ["a1 b3", "a1 b4"]),
        ("?a -> ?b", ["a1 b3"]),
        ("?a => ?b", []),
        ("?a => ?c", ["a1 c2"]),
        ("?a -> ?b => ?d", []),
        ("?a ->> ?b => ?d", ["a1 b4 d5"]),
        ("?a => ?c -> ?b ->> ?d", ["a1 c2 b3 d5"]),
        ("?a -> ?d", ["a1 d5"]),
    ],
)
def test_links_say_what_may_be_passed_over(pattern: str, found: list[str]) -> None:
    assert ask(pattern, "a c b b d") == found


def test_policy_is_the_link_of_commas() -> None:
    for policy, found in (("any", ["a1 b3", "a1 b4"]), ("next", ["a1 b3"]), ("strict", [])):
        assert ask("?a, ?b", "a c b b", f"POLICY {policy}") == found


def test_every_beginning_is_a_run_of_its_own() -> None:
    assert ask("?a -> ?b", "a a b b") == ["a1 b3", "a2 b3"]


def test_the_next_event_is_the_first_that_satisfies_the_joins() -> None:
    assert ask("?a -> ?b", "a5 b3 b7 b9", "JOIN (?b.n > ?a.n)") == ["a1 b3"]
    assert ask("?a -> ?b", "a/s b/t a/t b/t b/s", "JOIN (?b.sensor = ?a.sensor)") == ["a3 b4", "a1 b5"]


def test_a_join_is_asked_as_a_whole_once_all_its_variables_are_bound() -> None:
    """The run takes the first b, whatever its n, since the JOIN names d too."""
    assert ask("?a -> ?b -> ?d", "a b1 b5 d1", "JOIN (?b.n = 5 AND ?d.n = 1)") == []
    assert ask("?a -> ?b -> ?d", "a b5 d2 d1", "JOIN (?b.n = 5 AND ?d.n = 1)") == ["a1 b2 d4"]


def test_equal_time_stamps_are_passed_over() -> None:
    assert ask("?a -> ?b", "a@1 b@1 b@2") == ["a1 b3"]
    assert ask("?a => ?b", "a@1 b@1 b@2") == []


def test_a_window_that_closes_ends_the_run() -> None:
    assert ask("?a -> ?b -> ?d", "a@0 b@3 d@5 d@6", window="4s") == []


def test_an_event_outside_the_window_is_no_next_event() -> None:
    """The first b that satisfies WINDOW is too late for d, and the run has taken it."""
    query = "WINDOW (?a, ?b, 4s) WINDOW (?b, ?d, 2s)"
    assert ask("?a -> ?b -> ?d", "a@0 b@1 b@3 d@5", query, window=None) == []


def test_the_very_next_event_is_that_of_all_streams_and_of_the_partition() -> None:
    query = compiled(
        "SELECT ?a.n AS n FROM (?a, readings), (?b, alarms) FILTER (?a.note = 'a') FILTER (?b.note = 'b') "
        "SEQ (?a => ?b) WINDOW (?a, ?b, 9s)"
    )
    assert events(feed(build_operator(query), query, readings("a b! a c b! a d! b!"))) == ["a1 b2"]
    assert ask("?a => ?b", "a/s c/t b/s a/t b/t", "PARTITION BY sensor") == ["a1 b3", "a4 b5"]


def test_an_event_that_stands_twice_is_taken_as_each_of_its_solutions() -> None:
    query = compiled(
        "SELECT ?room, ?a.n AS n FROM (?a, readings), (?b, readings) "
        "PATH {?b evt:hasSource ?s . ?s bd:hasLocation ?room} FILTER (?a.note = 'a') FILTER (?b.note = 'b') "
        "SEQ (?a -> ?b) WINDOW (?a, ?b, 9s)"
    )
    a, b, later = readings("a1 b b")
    rows = [a, {**b, "?room": "p"}, {**b, "?room": "q"}, {**later, "?room": "p"}]
    assert [(row["room"], row["_events"]) for row in feed(build_operator(query), query, rows)] == [
        ("p", {"a": ["a1"], "b": ["b2"]}),
        ("q", {"a": ["a1"], "b": ["b2"]}),
    ]


@pytest.mark.parametrize(
    ("pattern", "stream", "found"),
    [
        ("?a, (?b AND ?d)", "d a d b", ["a2 b4 d3"]),
        ("?a, (?b AND ?d)", "a b@1 d@1", ["a1 b2 d3"]),
        ("(?b AND ?d), ?a", "d b a", ["b2 d1 a3"]),
        ("?a -> (?b AND ?d)", "a b b d", ["a1 b2 d4"]),
        ("?a -> (?b AND ?d) -> ?f", "a d f b f", ["a1 d2 b4 f5"]),
        ("?a => (?b AND ?d)", "a d b", ["a1 b3 d2"]),
        ("?a => (?b AND ?d)", "a d f b", []),
        ("?a -> ((?b => ?d) AND ?f)", "a b f d", ["a1 b2 d4 f3"]),
        ("?a -> ((?b => ?d) AND ?f)", "a b c f d", []),
    ],
)
def test_and_takes_both_in_any_order(pattern: str, stream: str, found: list[str]) -> None:
    """Its link is also between its events; what a run takes for another part is not passed over."""
    taken = [" ".join(sorted(f.split())) for f in ask(pattern, stream)]
    assert taken == [" ".join(sorted(f.split())) for f in found]


@pytest.mark.parametrize(
    ("pattern", "stream", "found"),
    [
        ("?a, (?b OR ?d)", "a d b d", ["a1 d2", "a1 b3", "a1 d4"]),
        ("?a -> (?b OR ?d)", "a c d b", ["a1 d3"]),
        ("?a -> (?b OR ?d) -> ?f", "a d f b f", ["a1 d2 f3"]),
        ("?a -> (?x OR ?b)", "a b", ["a1 b2"]),
        ("?a ->> (?x OR ?b)", "a b", ["a1 b2", "a1 b2"]),
        ("?a -> (?x OR NOT ?n FOR 1s) -> ?b", "a@0 c@2 b@3 b@4", ["a1 c2 b3"]),
        ("?a -> (?x OR NOT ?n FOR 1s) -> ?b", "a@0 b@2 b@4", ["a1 b2 b3"]),
        ("?a -> (?f OR NOT ?n FOR 1s) -> ?b", "a@0 b@2 f@4", ["a1 b2"]),
        ("?a -> (NOT ?n FOR 1s OR ?x) -> ?b", "a@0 b@2 b@4", ["a1 b2"]),
        ("?a -> ((?b -> ?d) OR ?f)", "a b f d", ["a1 b2 d4"]),
    ],
)
def test_or_takes_one_side(pattern: str, stream: str, found: list[str]) -> None:
    """Of an event that fits both only the left side, unless the link is `->>`."""
    assert ask(pattern, stream) == found


def test_an_or_that_begins_a_pattern_has_the_link_of_policy() -> None:
    """Each b begins a run through the left side, and therefore none as ?x."""
    assert ask("(NOT ?n FOR 1s OR ?x), ?b", "b@0 c@1 b@2", "POLICY next") == ["b1", "c2 b3", "b3"]
