"""What FROM has and SEQ does not name is joined to matches of SEQ (docs/semantics.md 3.4)."""

from __future__ import annotations

from collections.abc import Iterator

from kaicep.cep.match import Age, join_free_variables
from support.letter_readings import ask


def test_variables_outside_the_sequence_are_joined_to_complete_runs() -> None:
    join = "JOIN (?d.sensor = ?a.sensor)"
    assert ask("?a -> ?b", "d/s a/s d/s b d/t b d/s", join) == ["a2 b4 d1", "a2 b4 d3", "a2 b4 d7"]


def test_every_combination_with_something_new_is_made_once() -> None:
    """Of a new match all, of an old one those with a new candidate: by the first variable whose candidate is new."""
    known = {"p": {Age.OLD: ["p1"], Age.NEW: ["p2"]}, "q": {Age.OLD: ["q1"], Age.NEW: ["q2"]}}

    def extended(match: str, variable: str, age: Age) -> Iterator[str]:
        of = known[variable]
        found = [*of[Age.OLD], *of[Age.NEW]] if age is Age.ANY else of[age]
        return iter(f"{match} {candidate}" for candidate in found)

    new = list(join_free_variables("pq", ["new"], [], extended))
    assert new == ["new p1 q1", "new p1 q2", "new p2 q1", "new p2 q2"]
    old = list(join_free_variables("pq", [], ["old"], extended))
    assert sorted(old) == ["old p1 q2", "old p2 q1", "old p2 q2"]


def test_a_match_of_seq_waits_for_free_variables_within_their_windows() -> None:
    windows = ("WINDOW (?a, ?b, 5s)", "WINDOW (?b, ?d, 3s)")
    assert ask("?a -> ?b", "a1@0 b1@1 d1@4 d1@4.5", "JOIN (?d.n = ?a.n)", *windows, window=None) == ["a1 b2 d3"]
    assert ask("?a -> ?b", "a1@0 b1@1 d2@4 d1@4.5", "JOIN (?d.n = ?a.n)", *windows, window=None) == []
