"""A batch of files: what is asked of the driver of its records, and of its events, are numbers and what is no event."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from kaicep.archive.log import PreparedSegment, SegmentSlice
from kaicep.archive.sync import KeptEvents, Spool
from kaicep.pipeline.distribution.split_batch import CountedStream, SplitBatch, SplitIntake
from kaicep.pipeline.flow.batch_result import StreamTally
from kaicep.pipeline.sharding.split_reading import Split
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import Malformed, ToldRecords
from kaicep.pipeline.sources.unreadable import UnreadableFile
from support.shards import PROJECT, reading

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
    intake = SplitIntake([Split("P", 0, Path("/in/1.json"), "source")], {"P": [GONE]}, given)
    batch = intake.batch(PROJECT.dataflow(), NOW, None)
    assert isinstance(batch, SplitBatch)
    assert [split.clock for split in batch.splits] == [(NOW, None)]
    assert batch.unreadable == {"P": [GONE]}
    unplanned = intake.batch(PROJECT.dataflow(), None, None)
    assert isinstance(unplanned, SplitBatch)
    assert unplanned.splits[0].clock is None
    assert not unplanned.collected


def test_what_an_archiver_has_kept_comes_before_all_of_it(tmp_path: Path) -> None:
    """But not of streams whose events the log has."""
    spool = Spool(tmp_path)
    for second in (1, 2, 3):
        rows = raw_table([reading(f"r{second}", second)])
        spool.append({name: PROJECT.annotators[name].annotate(rows).events for name in "PQ"})
    spool.close()
    intake = SplitIntake([Split("P", 0, Path("/in/1.json"), "source")], {}, given, frozenset("Q"))
    (piece,) = intake.spooled(KeptEvents(spool, {"P": 1}, {"P": 3, "Q": 3}, 10))
    assert [(split.stream, split.place, split.form) for split in piece.splits] == [("P", -2, "kept"), ("P", -1, "kept")]
    assert not piece.last
    assert list(intake.spooled(KeptEvents(spool, {}, {}, 10))) == []


def given(stream: str, kept: SegmentSlice) -> Split:
    assert isinstance(kept.path, Path)
    return Split(stream, 0, kept.path, "kept", kept.rows)


def test_pieces_of_a_batch_are_counted_together() -> None:
    """The last one has the segment."""
    first = CountedStream.of(TALLY, PreparedSegment(None), ToldRecords())
    later = StreamTally(1, 0, 0, 0, 0, NOW + timedelta(seconds=5))
    both = CountedStream.of(later, PreparedSegment(Path("t"), 7), ToldRecords()).behind([first])
    assert both.tally == StreamTally(6, 1, 2, 3, 4, NOW + timedelta(seconds=5))
    assert (both.archived.num_rows, both.duplicates, both.first) == (7, 3, None)


def test_what_cannot_be_read_is_told_with_what_is_no_event() -> None:
    taken = SplitIntake([], {"P": [GONE]}, given).taken({"P": counted()})["P"]
    assert [one.text for one in taken.malformed] == ["x", "/in/2.json"]
    assert list(taken.unreadable) == [GONE]


def test_of_a_stream_whose_events_the_log_has_nothing_is_told_again() -> None:
    assert SplitIntake([], {}, given, frozenset(["P"])).taken({"P": counted()}) == {}
