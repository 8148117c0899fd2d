"""Events that wait until it is known in which contexts they lie."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
from kaicep.pipeline.flow.queries.candidates import EventBatch
from kaicep.pipeline.flow.queries.intake.held_events import EventSplits, HeldEvents

START = datetime(2024, 1, 1, tzinfo=UTC)


def events(*seconds: int, kind: str = "x") -> EventBatch:
    """Events at these seconds, their kinds a dictionary."""
    times = [START + timedelta(seconds=s) for s in seconds]
    kinds = pa.array([kind] * len(seconds)).dictionary_encode()
    return EventBatch(pa.table({"_time": pa.array(times, pa.timestamp("us", "UTC")), "kind": kinds}))


def seconds_of(released: dict[str, EventBatch]) -> dict[str, list[int]]:
    return {
        stream: [int((time - START).total_seconds()) for time in batch.table["_time"].to_pylist()]
        for stream, batch in released.items()
    }


def test_events_are_released_before_a_moment_in_order_of_arrival() -> None:
    held = HeldEvents()
    held.take({"a": events(3, 1), "b": events(9)})
    held.take({"a": events(2, kind="y")})
    assert held.earliest == START + timedelta(seconds=1)
    assert seconds_of(held.release(START + timedelta(seconds=3), EventSplits())) == {"a": [1, 2]}
    assert seconds_of(held.release(START + timedelta(seconds=10), EventSplits())) == {"a": [3], "b": [9]}
    assert not held
    assert held.earliest is None


def test_of_events_in_order_the_first_are_released_without_a_copy() -> None:
    batch, held = events(1, 2, 5), HeldEvents()
    held.take({"a": batch})
    released = held.release(START + timedelta(seconds=4), EventSplits())
    assert seconds_of(released) == {"a": [1, 2]}
    own, whole = (b.table["_time"].chunk(0).buffers()[1] for b in (released["a"], batch))
    assert own.address == whole.address
    assert seconds_of(held.release(START + timedelta(seconds=9), EventSplits())) == {"a": [5]}


def test_queries_that_hold_the_same_share_what_is_cut() -> None:
    batch, splits = events(1, 5), EventSplits()
    one, other = HeldEvents(), HeldEvents()
    for held in (one, other):
        held.take({"a": batch})
    moment = START + timedelta(seconds=2)
    assert one.release(moment, splits)["a"] is other.release(moment, splits)["a"]
    assert next(one.batches) is next(other.batches)


def test_a_snapshot_has_what_is_held() -> None:
    held, other = HeldEvents(), HeldEvents()
    held.take({"a": events(3, 1), "b": events(9)})
    other.restore(held.snapshot())
    end = START + timedelta(seconds=10)
    assert seconds_of(other.release(end, EventSplits())) == {"a": [3, 1], "b": [9]}
