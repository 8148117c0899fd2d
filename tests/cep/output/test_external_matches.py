"""Matches of an archive's SPARQL come in the order in which operators would have reported them."""

from __future__ import annotations

from kaicep.cep.output.external_matches import adopted_matches
from support.frames import frame_at
from support.operators import compiled

QUERY = compiled("SELECT ?a.n AS p, ?b.n AS q FROM (?a, readings), (?b, readings) WINDOW (?a, ?b, 9s)")


def test_by_last_event_then_first_then_the_first_variable() -> None:
    """Of two matches of the same events that one comes first whose ?a is earlier."""
    a = frame_at([2, 1, 1], ["r", "q", "p"], {"n": [2, 1, 0]})
    b = frame_at([1, 2, 1], ["p", "r", "q"], {"n": [0, 2, 1]})
    matches = adopted_matches(QUERY, {"a": a, "b": b})
    pairs = list(zip(matches.events["a"], matches.events["b"], strict=True))
    assert pairs == [("p", "q"), ("r", "p"), ("q", "r")]
    assert matches.time.tolist() == [1, 2, 2]
    assert matches.frame.select("a.n", "b.n").rows() == [(0, 1), (2, 0), (1, 2)]


def test_equal_events_in_other_places_are_matches_of_their_own() -> None:
    a, b = frame_at([2, 1], ["q", "p"], {"n": [1, 0]}), frame_at([1, 2], ["p", "q"], {"n": [0, 1]})
    matches = adopted_matches(QUERY, {"a": a, "b": b})
    assert list(zip(matches.events["a"], matches.events["b"], strict=True)) == [("p", "q"), ("q", "p")]
