"""A last NOT waits for the watermark, or for the very next event (docs/semantics.md 3.6)."""

from __future__ import annotations

import numpy as np
import polars as pl
from kaicep.cep import build_operator
from kaicep.cep.match import NOTHING_AWAITED, NextEvents, PendingNegation
from kaicep.cep.order import BEFORE, UNBOUNDED, Interval
from kaicep.expressions import micros
from support.frames import frame_at
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


def following(*pairs: tuple[int, int]) -> pl.DataFrame:
    """Events that come right after others: the number of the one before, and the time stamp."""
    return frame_at([time for _, time in pairs]).with_columns(pl.Series(BEFORE, [before for before, _ in pairs]))


def pending(time: list[int], awaited: list[int], last: int = 100) -> PendingNegation:
    made = PendingNegation(last, {"match": np.empty(0, dtype=np.int64)})
    made.add({"match": np.arange(len(time))}, np.array(time), np.array(awaited))
    return made


def test_what_the_watermark_has_passed_is_released_in_order_of_time() -> None:
    waiting = pending([9, 5, 7], [NOTHING_AWAITED] * 3)
    assert waiting.due == 6, "intervals include their ends"
    columns, time = waiting.release(8)
    assert (columns["match"].tolist(), time.tolist()) == ([1, 2], [5, 7])
    assert (len(waiting), waiting.due) == (1, 10)


def test_the_very_next_event_ends_an_interval_no_sooner_than_it_comes() -> None:
    waiting = pending([3, 3], [4, 6])
    assert waiting.release(50)[1].tolist() == []
    waiting.next_events.note(following((-1, 5), (6, 20), (4, 2)))
    columns, time = waiting.release(50)
    assert (columns["match"].tolist(), time.tolist()) == ([0, 1], [3, 20])


def test_no_event_comes_behind_the_bounds_of_within() -> None:
    waiting = pending([3], [4], last=10)
    waiting.release(10)
    assert len(waiting) == 1
    waiting.release(11)
    assert len(waiting) == 0


def test_next_events_are_forgotten_by_the_number_of_the_one_before() -> None:
    events = NextEvents()
    assert events.after(np.array([1])).tolist() == [UNBOUNDED]
    events.note(following((3, 30)))
    events.note(following((1, 25), (5, 50)))
    assert events.after(np.array([5, 1, 2, 9])).tolist() == [50, 25, UNBOUNDED, UNBOUNDED]
    events.forget(4)
    assert events.after(np.array([3, 5])).tolist() == [UNBOUNDED, 50]


def test_what_waits_goes_on_from_its_tables() -> None:
    waiting, resumed = pending([9, 5], [NOTHING_AWAITED, 4]), pending([], [])
    waiting.next_events.note(following((4, 6)))
    resumed.load(waiting.tables())
    assert resumed.release(8)[0]["match"].tolist() == [1]
