"""UNTIL: which events may end a repetition, and what the operator is given for it."""

from __future__ import annotations

from kaicep.cep.nfa import stop_candidates, stop_events
from support.automata import automaton_of, query_of

PATTERN = "?a -> ?b{1,; ->} UNTIL (?b.x > 5) -> ?c"


def test_all_events_of_the_stream_are_looked_at() -> None:
    """Candidates or not; an operator gets them under a name of their own."""
    query = query_of(PATTERN)
    ((name, (stream, columns)),) = stop_events(query).items()
    assert name.startswith("until ")
    assert name.endswith(" ?b")
    assert stream == "letters"
    assert columns[:2] == ["_time", "_id"]
    assert {n: frame.columns for n, frame in stop_candidates(query).items()} == {name: columns}


def test_a_query_without_until_needs_none() -> None:
    assert stop_events(query_of("?a -> ?b{1,; ->}")) == {}


def test_whether_it_speaks_of_the_event_alone() -> None:
    def alone(until: str) -> bool:
        ((stop,),) = automaton_of(f"?a -> ?b{{1,; ->}} UNTIL ({until})").conditions.stops.values()
        return stop.alone

    assert alone("?b.x > 5")
    assert not alone("?b.x > ?a.x")
    assert not alone("?b.x > PREV(?b.x)")


def test_a_group_s_until_is_asked_of_the_repetition_under_way() -> None:
    compiled = automaton_of("?a -> (?b -> ?c){1,; ->} UNTIL (?b.x > ?c.x)")
    ((start, stops),) = compiled.conditions.stops.items()
    assert [stop.condition.scope for stop in stops] == [start, start]
    assert [stop.variable for stop in stops] == ["b", "c"]
    assert stops[0].inside == frozenset("bc")
    assert stops[0].condition.text == "?b.x > ?c.x"
