"""Counts over all batches, and of an engine alone since it took up its work."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
from kaicep.pipeline.durability.progress import Progress, StreamCount
from kaicep.pipeline.flow.batch_result import StreamResult

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
EVENTS = pa.table({"_time": pa.array([NOON], pa.timestamp("us", "UTC")), "_id": ["e"]})
REJECTED = pa.table({"row": pa.array([3], pa.int64()), "reason": ["no time"]})
RESULT = StreamResult(EVENTS, EVENTS.slice(1), REJECTED, 2, 1)
ROWS = {"high": 2, "low": 0}


def test_a_batch_is_counted_by_what_became_of_its_records() -> None:
    progress = Progress().after({"air": RESULT}, ROWS, {"air": 4}, 0.5, {})
    assert progress.streams == {"air": StreamCount(events=1, duplicates=2, rejected=1, malformed=4, unlinked=1)}
    assert (progress.records, progress.total_matches, progress.batches) == (8, 2, 1)
    assert (progress.time, progress.seconds, progress.own) == (NOON, 0.5, None)


def test_an_engine_counts_its_own_beside_what_was_before() -> None:
    before = Progress().after({"air": RESULT}, ROWS, {}, 0.5, {})
    progress = before.resumed().after({"air": RESULT}, ROWS, {}, 0.25, {})
    assert progress.own is not None
    assert (progress.batches, progress.own.batches) == (2, 1)
    assert (progress.matches["high"], progress.own.matches["high"]) == (4, 2)


def test_a_snapshot_has_the_counts_of_all() -> None:
    progress = Progress().after({"air": RESULT}, ROWS, {}, 0.5, {})
    assert Progress.from_bytes(progress.resumed().to_bytes()) == progress
    assert Progress.from_bytes(Progress().to_bytes()) == Progress()


def test_what_rules_did_is_counted_by_what_they_do() -> None:
    done = {"warn": {"calls": 3, "events emitted": 2}}
    progress = Progress().after({}, {"warn": 0}, {}, 0.5, {}, done=done).resumed().after({}, {}, {}, 0.5, {}, done=done)
    assert progress.rules == {"warn": {"calls": 6, "events emitted": 4}}
    assert progress.own is not None
    assert progress.own.rules == done
    assert Progress.from_bytes(progress.to_bytes()).rules == progress.rules
    more = progress.after({}, {}, {}, 0.5, {}, done={"warn": {"calls": 1}})
    assert more.rules == {"warn": {"calls": 7, "events emitted": 4}}
    assert (progress.given("warn"), progress.given("other")) == (10, 0)
