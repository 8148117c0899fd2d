"""AFTER MATCH (docs/semantics.md 3.12)."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from kaicep.cep import build_operator
from kaicep.cep.match import AfterMatchSkip
from support.letter_readings import ask
from support.operators import Reading, answer, compiled, events, feed

TWO = "SELECT ?a FROM (?a, readings), (?b, readings)"
THREE = "SELECT ?a FROM (?a, readings), (?b, readings), (?c, readings)"
SEQ = f"{TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 9s)"


def readings(count: int, sensors: str = "s") -> list[Reading]:
    return [{"id": f"e{i}", "t": i, "n": i, "sensor": sensors[i % len(sensors)]} for i in range(count)]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("KEEP ALL", ["e0 e1", "e0 e2", "e1 e2", "e0 e3", "e1 e3", "e2 e3"]),
        ("SKIP PAST LAST EVENT", ["e0 e1", "e2 e3"]),
        ("SKIP TO NEXT EVENT", ["e0 e1", "e1 e2", "e2 e3"]),
        ("SKIP TO FIRST ?a", ["e0 e1", "e0 e2", "e1 e2", "e1 e3", "e2 e3"]),
        ("SKIP TO FIRST ?b", ["e0 e1", "e1 e2", "e2 e3"]),
        ("SKIP TO LAST ?b", ["e0 e1", "e1 e2", "e2 e3"]),
        ("CONSUME", ["e0 e1", "e2 e3"]),
    ],
)
def test_what_may_follow_a_match(after: str, expected: list[str]) -> None:
    query = compiled(f"{SEQ} AFTER MATCH {after}")
    assert events(answer(query, readings(4))) == expected
    operator, found = build_operator(query), []
    for row in readings(4):
        found += feed(operator, query, [row], until=row["t"] + 0.5)
        state = operator.snapshot()
        operator = build_operator(query)
        operator.restore(state)
    assert events(found) == expected


def test_consumed_events_leave_those_between_them() -> None:
    """Past the last event nothing between is left; CONSUME takes the events of the match alone."""
    text = f"{TWO} JOIN (?b.n - ?a.n = 2) SEQ (?a, ?b) WINDOW (?a, ?b, 9s) AFTER MATCH"
    assert events(answer(f"{text} CONSUME", readings(5))) == ["e0 e2", "e1 e3"]
    assert events(answer(f"{text} SKIP PAST LAST EVENT", readings(6))) == ["e0 e2", "e3 e5"]


def test_each_partition_skips_by_itself() -> None:
    text = f"{SEQ} PARTITION BY sensor AFTER MATCH SKIP PAST LAST EVENT"
    assert events(answer(text, readings(8, "st"))) == ["e0 e2", "e1 e3", "e4 e6", "e5 e7"]


def test_unbound_is_a_partition() -> None:
    rows = [{**r, "sensor": None if i % 2 else "s"} for i, r in enumerate(readings(8))]
    text = f"{SEQ} PARTITION BY sensor AFTER MATCH CONSUME"
    assert events(answer(text, rows)) == ["e0 e2", "e1 e3", "e4 e6", "e5 e7"]


def test_places_are_in_the_total_order_of_events() -> None:
    """Of equal time stamps the id decides what is behind an event."""
    rows: list[Reading] = [
        {"id": i, "t": t, "n": n} for i, t, n in (("p", 0, 0), ("r", 1, 1), ("q", 1, 2), ("s", 2, 3))
    ]
    text = f"{TWO} JOIN (?a.n < ?b.n) SEQ (?a, ?b) WINDOW (?a, ?b, 9s) AFTER MATCH SKIP PAST LAST EVENT"
    assert events(answer(text, rows)) == ["p q", "r s"]


def test_a_skip_goes_on_from_the_furthest_place() -> None:
    """?c comes before the others: the match that is reported later skips to an earlier place."""
    text = f"{THREE} SEQ (?c, ?a, ?b) WINDOW (?a, ?b, ?c, 9s) AFTER MATCH SKIP TO FIRST ?a"
    assert events(answer(text, readings(5))) == ["e1 e2 e0", "e2 e3 e1", "e3 e4 e2"]


def test_counted_candidates_count_although_they_are_consumed() -> None:
    """`2 events`: what stands before the last two candidates is out, whatever became of the two."""
    window = "WINDOW (?a, sliding, 2 events) WINDOW (?b, sliding, 1 events)"
    text = f"{TWO} JOIN (?b.n - ?a.n IN (1, 2)) {window} AFTER MATCH CONSUME"
    assert events(answer(text, readings(4))) == ["e0 e1", "e2 e3"]


def test_limit_counts_the_matches_that_stand() -> None:
    assert events(answer(f"{SEQ} AFTER MATCH SKIP PAST LAST EVENT LIMIT 2", readings(9))) == ["e0 e1", "e2 e3"]


def test_state_holds_what_may_serve_in_a_later_match() -> None:
    query = compiled(f"{SEQ} PARTITION BY sensor AFTER MATCH SKIP PAST LAST EVENT")
    operator = build_operator(query)
    feed(operator, query, readings(7, "sst"), until=6.5)
    kept = operator.kernel._buffer.frames  # type: ignore[attr-defined]  # private to the kernel
    assert kept["a"]["_id"].to_list() == ["e6"]


def test_an_event_with_several_solutions_is_one_event() -> None:
    path = "PATH {?e evt:hasSource ?s . ?s bd:floor ?floor}"
    rows = [{"id": "p", "t": 0, "?floor": 2}, {"id": "p", "t": 0, "?floor": 1}, {"id": "q", "t": 1, "?floor": 2}]
    first = [row["floor"] for row in answer(f"SELECT ?floor {path} AFTER MATCH SKIP PAST LAST EVENT", rows)]
    assert first == [1, 2]
    again = [row["floor"] for row in answer(f"SELECT ?floor {path} AFTER MATCH SKIP TO LAST ?e", rows)]
    assert again == [1, 2, 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("KEEP ALL", ["a1 b3", "a2 b3", "a4 b5"]),
        ("SKIP PAST LAST EVENT", ["a1 b3", "a4 b5"]),
        ("SKIP TO NEXT EVENT", ["a1 b3", "a2 b3", "a4 b5"]),
        ("SKIP TO LAST ?b", ["a1 b3", "a4 b5"]),
        ("SKIP TO FIRST ?d", ["a1 b3", "a2 b3", "a4 b5"]),
        ("CONSUME", ["a1 b3", "a4 b5"]),
    ],
)
def test_after_match_chooses_among_runs(after: str, found: list[str]) -> None:
    """An unbound ?d is skipped to as to the next event."""
    assert ask("?a -> (?b OR ?d)", "a a b a b", f"AFTER MATCH {after}") == found


def test_consumed_events_end_what_was_growing_with_them() -> None:
    assert ask("?a -> ?b -> ?d", "a b a d b d", "AFTER MATCH CONSUME") == ["a1 b2 d4", "a3 b5 d6"]
    assert ask("?a -> ?b -> ?d", "a a b d b d", "AFTER MATCH CONSUME") == ["a1 b3 d4"]


def skipping(after: str) -> AfterMatchSkip:
    return AfterMatchSkip(compiled(f"{SEQ} PARTITION BY sensor AFTER MATCH {after}"))


def test_bars_forbid_the_events_of_their_partition() -> None:
    skip = skipping("SKIP PAST LAST EVENT")
    skip.bars = {("s",): 4, ("t",): 2}
    sensors, numbers = pl.Series(["s", "s", "t", "t", None]), np.array([4, 5, 2, 3, 0])
    assert skip.forbidden([sensors], numbers).tolist() == [True, False, True, False, False]
    assert skip.allows(("s",), 5, [5, 6])
    assert not skip.allows(("s",), 4, [4, 6])


def test_consumed_events_are_forbidden_in_every_partition() -> None:
    skip = skipping("CONSUME")
    skip.consumed = {3}
    assert skip.forbidden([pl.Series(["s", "t"])], np.array([3, 4])).tolist() == [True, False]
    assert not skip.allows(("t",), 1, [1, 3])


def test_what_no_later_match_can_hold_is_forgotten() -> None:
    skip = skipping("CONSUME")
    skip.consumed, skip.bars = {3, 8}, {("s",): 4, (None,): 9}
    skip.forget(5)
    assert (skip.consumed, skip.bars) == ({8}, {(None,): 9})
    resumed = skipping("CONSUME")
    resumed.load(skip.tables())
    assert (resumed.consumed, resumed.bars) == ({8}, {(None,): 9})
