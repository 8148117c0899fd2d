"""Which batches are late, which leave room, and which query is to wait for that."""

from __future__ import annotations

from kaicep.config import Settings
from kaicep.pipeline.durability.border.lateness import Lateness, Relief

QUERIES = {"alarms": {"latency": "4s", "priority": 9}, "doors": {"latency": "1min", "priority": 5}, "means": {}}
LABELS = ["alarms", "means", "doors", "counts"]


def lateness() -> Lateness:
    return Lateness(Settings.parse({"queries": QUERIES}).queries)


def test_three_late_batches_in_a_row_ask_for_relief() -> None:
    found = lateness()
    assert [found.note(s, LABELS) for s in (5, 5, 3, 5, 5, 5, 5)] == [*[None] * 5, Relief.WAIT, None]


def test_the_last_of_the_lowest_priority_waits_if_it_helps_somebody_of_a_greater_one() -> None:
    found = lateness()
    found.note(5, LABELS)
    assert found.next_to_wait(LABELS) == "counts"
    assert found.next_to_wait(["alarms", "means", "doors"]) == "means"
    assert found.next_to_wait(["alarms", "doors"]) == "doors"
    assert found.next_to_wait(["alarms"]) is None
    found.note(70, ["doors", "means"])
    assert found.next_to_wait(["doors", "alarms"]) is None


def test_ten_batches_with_room_let_the_greatest_priority_come_back() -> None:
    found = lateness()
    seconds = (*[2] * 9, 3, *[2] * 10)  # the tenth is in time, and leaves no room
    assert [found.note(s, LABELS) for s in seconds] == [*[None] * 19, Relief.RETURN]
    assert found.next_to_return(["means", "doors", "counts"]) == "doors"
    assert found.next_to_return(["means", "counts"]) == "means"


def test_where_nobody_asks_every_batch_leaves_room() -> None:
    found = lateness()
    assert [found.note(1e6, ["means"]) for _ in range(10)][-1] is Relief.RETURN


def test_missed_latencies_are_forgotten_when_there_is_room() -> None:
    found = lateness()
    found.note(5, LABELS)
    found.note(1, LABELS)
    assert found.below(LABELS) == []
