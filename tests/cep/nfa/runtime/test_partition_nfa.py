"""What each event does to the partial matches of one partition."""

from __future__ import annotations

import pytest
from kaicep.cep.limits import Ceilings, Limits
from kaicep.cep.nfa.negation_buffer import PartitionBuffers
from kaicep.cep.nfa.runtime import AcceptedMatch
from kaicep.cep.nfa.runtime.partition_nfa import PartitionNfa
from kaicep.cep.nfa.shared_buffer import paths
from kaicep.errors import CeilingError
from support.automata import automaton_of, query_of

HOUR = 3_600_000_000


def shown(pattern: str, events: str, *, most: int = 100, several: bool = False) -> tuple[PartitionNfa, list[str]]:
    """A partition after events, a second apart, and the matches that it accepted."""
    accepted: list[AcceptedMatch] = []
    ceilings = Ceilings(query_of(pattern), Limits(partial_matches_per_partition=most))
    nfa = PartitionNfa(automaton_of(pattern), "abc", accepted.append, ceilings, PartitionBuffers((None,), {}, {}))
    rows = [(i * 1_000_000, i, i - 1, i) for i in range(len(events))]
    nfa.process(["abc".index(e) for e in events], rows, several=several)
    found = [path for one in accepted for path in paths(one.node)]
    return nfa, [" ".join(f"{'abc'[place]}{event[1]}" for place, event in path) for path in found]


@pytest.mark.parametrize("several", [False, True])
def test_a_greedy_repetition_takes_what_it_can(several: bool) -> None:
    nfa, found = shown("?a -> ?b{1,; ->} -> ?c", "abbc", several=several)
    assert found == ["a0 b1 b2 c3"]
    assert nfa.is_empty


def test_any_combination_is_held_once_under_skip_till_any_match() -> None:
    nfa, found = shown("?a ->> ?b{1,2; ->>} ->> ?c", "abbc")
    assert sorted(found) == ["a0 b1 b2 c3", "a0 b1 c3", "a0 b2 c3"]
    assert any(nfa.merged.values())


def test_what_no_event_is_of_use_to_is_pruned_and_what_was_held_is_accepted() -> None:
    nfa, found = shown("?a -> ?b{1,; ->}", "ab")
    assert found == []
    assert nfa.holds_back
    nfa.prune(HOUR + 1)
    assert nfa.is_empty


def test_more_partial_matches_than_the_ceiling_are_an_error() -> None:
    with pytest.raises(CeilingError, match="more than 3 partial matches are under way"):
        shown("?a -> ?b{1,; ->} -> ?c", "aaaaaa", most=3)
