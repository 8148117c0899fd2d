"""Matches of automata are counted by event, and told apart where they seem too many."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.cep.limits import Ceilings, Limits
from kaicep.cep.nfa import match_count
from kaicep.cep.nfa.match_count import MatchCount
from kaicep.cep.nfa.shared_buffer import chain, united
from kaicep.errors import CeilingError
from support.automata import query_of


def node(*places_and_numbers: tuple[int, int]) -> Any:
    return chain([(place, (number * 1_000_000, number, number - 1, number)) for place, number in places_and_numbers])


def count_up_to(most: int) -> MatchCount:
    return MatchCount(Ceilings(query_of("?a -> ?b{1,; ->}"), Limits(matches_per_event=most)))


def test_matches_of_one_event_are_counted_together_and_those_of_another_apart() -> None:
    counted = count_up_to(2)
    for last in (5, 6, 7):
        counted.add(node((0, 1), (1, last)))
        counted.add(node((0, 2), (1, last)))
    with pytest.raises(CeilingError, match="more than 2 matches became true with one event"):
        counted.add(node((0, 3), (1, 7)))


def test_the_same_events_are_one_match_however_often_they_are_found() -> None:
    counted = count_up_to(1)
    for _ in range(3):
        counted.add(node((0, 1), (1, 5)))
    with pytest.raises(CeilingError):
        counted.add(node((0, 2), (1, 5)))


def test_sequences_that_are_held_as_one_are_counted_by_their_last_events() -> None:
    counted = count_up_to(2)
    both = united(node((0, 1), (1, 5)), node((0, 1), (1, 6)))
    for _ in range(3):
        counted.add(both)
    with pytest.raises(CeilingError):
        counted.add(united(united(both, node((0, 2), (1, 6))), node((0, 3), (1, 6))))


def test_very_many_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_count, "_TOLD_APART", 5)
    counted = count_up_to(1)
    for _ in range(5):
        counted.add(node((0, 1), (1, 5)))
    with pytest.raises(CeilingError):
        counted.add(node((0, 1), (1, 5)))
