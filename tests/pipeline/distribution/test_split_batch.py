"""A batch of files: what is asked of the driver of its records, and of its events, are numbers and what is no event."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from kaicep.archive.log import PreparedSegment
from kaicep.pipeline.distribution.split_batch import CountedStream, SplitBatch, SplitIntake
from kaicep.pipeline.flow.batch_result import StreamTally
from kaicep.pipeline.sharding.split_reading import Split
from kaicep.pipeline.sources.records import Malformed, ToldRecords
from kaicep.pipeline.sources.unreadable import UnreadableFile
from support.shards import PROJECT

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TALLY = StreamTally(5, 1, 2, 3, 4, NOW)
GONE = UnreadableFile("/in/2.json", "it is torn", (3, 4))


def counted() -> CountedStream:
    records = ToldRecords((Malformed("x", "no JSON", "1"),), (Malformed("y", "no time", "2"),))
    return CountedStream.of(TALLY, PreparedSegment(Path("s"), 6, 1), records)


def test_a_stream_has_numbers_and_a_segment() -> None:
    stream = counted()
    assert stream.tally == TALLY
    assert stream.archived.num_rows == 6
    assert (stream.duplicates, stream.unlinked) == (3, 4)
    assert [one.text for one in stream.records.letters(stream.rejected)] == ["x", "y"]


def test_splits_know_when_the_batch_was_planned() -> None:
    intake = SplitIntake([Split("P", 0, Path("/in/1.json"), "source")], {"P": [GONE]})
    batch = intake.batch(PROJECT.dataflow(), NOW, None)
    assert isinstance(batch, SplitBatch)
    assert [split.clock for split in batch.splits] == [(NOW, None)]
    assert batch.unreadable == {"P": [GONE]}
    unplanned = intake.batch(PROJECT.dataflow(), None, None)
    assert isinstance(unplanned, SplitBatch)
    assert unplanned.splits[0].clock is None
    assert not intake.spooled


def test_what_cannot_be_read_is_told_with_what_is_no_event() -> None:
    taken = SplitIntake([], {"P": [GONE]}).taken({"P": counted()})["P"]
    assert [one.text for one in taken.malformed] == ["x", "/in/2.json"]
    assert list(taken.unreadable) == [GONE]


def test_of_a_stream_whose_events_the_log_has_nothing_is_told_again() -> None:
    assert SplitIntake([], {}, frozenset(["P"])).taken({"P": counted()}) == {}
