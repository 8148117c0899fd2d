"""A last NOT waits for the watermark, or for the very next event (docs/semantics.md 3.6)."""

from __future__ import annotations

from kaicep.cep import build_operator
from kaicep.cep.order import Interval
from kaicep.expressions import micros
from support.letter_readings import ask, readings, seconds, text_of
from support.operators import at, compiled, events, feed


def test_a_last_not_is_reported_when_the_watermark_passes_its_end() -> None:
    query = compiled(text_of("?a, ?b, NOT ?n", window="5s"))
    operator = build_operator(query)
    assert feed(operator, query, readings("a@0 b@1"), until=5) == []
    assert operator.waiting
    (row,) = feed(operator, query, [], until=5.000001)
    assert (events([row]), seconds([row])) == (["a1 b2"], [5.0])
    assert not operator.waiting


def test_a_last_strict_not_waits_for_the_very_next_event() -> None:
    query = compiled(text_of("?a => NOT ?n", "PARTITION BY sensor"))
    operator = build_operator(query)
    assert feed(operator, query, readings("a@0/s b@4/t"), until=5) == []
    assert operator.waiting
    rows = feed(operator, query, readings("b@6/s"), until=7)
    assert (events(rows), seconds(rows)) == (["a1"], [6.0])


def test_what_no_event_can_follow_within_the_bounds_waits_no_longer() -> None:
    query = compiled(text_of("?a => NOT ?n"))
    operator = build_operator(query, Interval(micros(at(0)), micros(at(9))))
    assert feed(operator, query, readings("a@8"), until=9) == []
    assert operator.waiting
    assert feed(operator, query, [], until=9.5) == []
    assert not operator.waiting


def test_rows_come_in_the_order_in_which_they_become_true() -> None:
    query = compiled(text_of("?a -> (NOT ?n FOR 3s OR ?b)"))
    rows = feed(build_operator(query), query, readings("a@0 a@1 b@3.5 b@9"))
    assert list(zip(events(rows), seconds(rows), strict=True)) == [
        ("a1", 3.0),
        ("a1 b3", 3.5),
        ("a2 b3", 3.5),
        ("a2", 4.0),
    ]


def test_intervals_have_to_lie_within_the_bounds() -> None:
    """What FOR and a last NOT look at beyond WITHIN is not known, so there is no match."""
    within = Interval(micros(at(0)), micros(at(9)))
    for pattern, found in (("?a -> NOT ?n FOR 3s", ["a1"]), ("NOT ?n FOR 3s, ?a", ["a2"]), ("?a => NOT ?n", ["a1"])):
        query = compiled(text_of(pattern, window="3s"))
        assert events(feed(build_operator(query, within), query, readings("a@2 a@7"))) == found


def test_a_match_is_reported_once_whichever_not_it_waited_for() -> None:
    assert ask("?a -> (NOT ?n FOR 2s OR NOT ?m FOR 4s)", "a@0 a@10 n@11 a@20 m@23") == ["a1", "a2", "a4"]


def test_a_forbidden_match_that_waits_is_dropped() -> None:
    assert ask("?a ->> ?b, NOT ?n", "a@0 b@1 b@2", "AFTER MATCH CONSUME", window="4s") == ["a1 b2"]
