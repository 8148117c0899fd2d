"""What FROM has and SEQ does not name is joined to matches of SEQ (docs/semantics.md 3.4)."""

from __future__ import annotations

from support.letter_readings import ask


def test_variables_outside_the_sequence_are_joined_to_complete_runs() -> None:
    join = "JOIN (?d.sensor = ?a.sensor)"
    assert ask("?a -> ?b", "d/s a/s d/s b d/t b d/s", join) == ["a2 b4 d1", "a2 b4 d3", "a2 b4 d7"]
