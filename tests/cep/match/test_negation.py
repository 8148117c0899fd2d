"""NOT in all its places, with JOINs, and beside ORs (docs/semantics.md 3.6)."""

from __future__ import annotations

import pytest
from support.letter_readings import ask


@pytest.mark.parametrize(
    ("pattern", "stream", "found"),
    [
        ("?a, NOT ?n, ?b", "a b n b a b", ["a1 b2", "a5 b6"]),
        ("?a, NOT ?n, ?b", "a@1 n@1 b@2 n@3 b@3", ["a1 b3", "a1 b5"]),
        ("?a -> NOT ?n -> ?b", "a n b a b", ["a4 b5"]),
        ("?a -> NOT ?n => ?b", "a b", ["a1 b2"]),
        ("?a => NOT ?n -> ?b", "a n b a c n b", ["a4 b7"]),
        ("?a => NOT ?n, ?b", "a@1 n@1 b@2", []),
        ("?a, NOT ?n FOR 2s, ?b", "a@0 b@1 b@2 b@2.5", ["a1 b4"]),
        ("?a, NOT ?n FOR 2s -> ?b", "a@0 n@2 b@3", []),
        ("?a, NOT ?n FOR 5s, NOT ?m FOR 2s, ?b", "a@0 b@3 b@6", ["a1 b3"]),
        ("?a, NOT ?n, (?b AND ?d)", "a b n d a d b n", ["a1 b2 d4", "a1 b2 d6", "a5 b7 d6"]),
        ("NOT ?n, ?a, ?b", "n@0 a@5 b@9 a@20 b@21", ["a2 b5", "a4 b5"]),
        ("NOT ?n, ?a, ?b", "n@1 a@15 b@20", []),
        ("NOT ?n, ?a, ?b", "n@1 a@15 b@21.5", ["a2 b3"]),
        ("NOT ?n FOR 3s, ?a -> ?b", "n@0 a@3 b@4 a@5 b@6", ["a4 b5"]),
        ("?a, (?b, NOT ?n)", "a@0 b@1 a@30 b@31 n@40", ["a1 b2"]),
        ("?a => NOT ?n", "a n a b a", ["a3"]),
        ("?a -> NOT ?n FOR 3s", "a@0 n@3 a@10 n@13.5", ["a3"]),
        ("?a -> (NOT ?n FOR 3s AND ?b)", "a@0 b@1 n@2 a@10 b@11", ["a4 b5"]),
        ("?a -> (NOT ?n FOR 3s OR ?b)", "a@0 b@1 n@2 a@10 b@15", ["a1 b2", "a4", "a4 b5"]),
    ],
)
def test_not_in_all_its_places(pattern: str, stream: str, found: list[str]) -> None:
    assert ask(pattern, stream) == found


def test_not_looks_only_at_what_its_joins_say() -> None:
    join = "JOIN (?n.sensor = ?a.sensor)"
    assert ask("?a, NOT ?n, ?b", "a/s n/t b a/s n/s b", join) == ["a1 b3"]
    assert ask("?a -> NOT ?n -> ?b", "a/s n/t b", join) == ["a1 b3"]
    later = "JOIN (?n.sensor = ?b.sensor)"
    assert ask("?a -> NOT ?n -> ?b", "a n/s b/s b/t", later) == ["a1 b4"]
    assert ask("?a -> NOT ?n FOR 5s", "a/s n/t", join) == ["a1"]
    assert ask("?a, NOT ?n, ?b", "a/s n/t b/s a/t n/t b/t", "PARTITION BY sensor") == ["a1 b3"]


def test_a_first_not_is_asked_without_the_joins_of_the_other_side_of_an_or() -> None:
    """No run that has b without x before it will bind x, so that b is refused at once, and x may take its event."""
    joins = ("JOIN (?x.sensor = ?n.sensor)", "JOIN (?x.sensor = ?m.sensor)")
    found = ["m1 b2", "b2 b3", "b3"]
    for asked in (joins, joins[1:]):
        assert ask("NOT ?m FOR 1s, (NOT ?n FOR 1s OR ?x), ?b", "m/s b/t b/t", *asked, "POLICY next") == found


@pytest.mark.parametrize("before", ["NOT ?n FOR 1s", "?b, NOT ?n", "?b, NOT ?n FOR 1s"])
def test_the_left_of_an_or_counts_also_behind_a_not(before: str) -> None:
    """The NOT stands before both sides of the OR, and is decided before either of them comes."""
    found = ask(f"{before}, ?a, (?x OR ?y)", "b a@1.5 c", "POLICY next")
    assert found == ["b1 a2 c3" if "?b" in before else "a2 c3"]
