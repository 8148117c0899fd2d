"""A batch whose records nobody has read yet: its files, and what tasks tell of its streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce

import pyarrow as pa

from ...archive.log import PreparedSegment, SegmentSlice
from ...archive.sync import KeptEvents
from ..flow import Batch, Dataflow, StreamResult, StreamTally
from ..sharding import LoggedBefore, Split
from ..sources import Malformed, TakenRecords, ToldRecords, UnreadableFile

__all__ = ["CountedStream", "SplitBatch", "SplitIntake"]

_NO_EVENTS = pa.table({"_id": pa.array([], pa.string()), "_time": pa.array([], pa.timestamp("us", "UTC"))})
_NOTHING = pa.table({"row": pa.array([], pa.int64()), "reason": pa.array([], pa.string())})


@dataclass(frozen=True, slots=True)
class SplitBatch(Batch):
    """Files of streams.

    Attributes:
        splits: the files.
        unreadable: by stream, those of which nothing can be read.
        last: whether its batch ends with it, and is logged; otherwise further pieces follow.
        logged: see `EarlierEvents`.
    """

    splits: Sequence[Split] = ()
    unreadable: Mapping[str, Sequence[UnreadableFile]] = field(default_factory=dict)
    last: bool = True
    logged: LoggedBefore | None = None

    @property
    def collected(self) -> bool:
        """Its events are elsewhere."""
        return False


@dataclass(frozen=True, slots=True)
class CountedStream(StreamResult):
    """What one batch brought to one stream, in numbers: its events are elsewhere.

    Attributes:
        numbers: how many became what.
        segment: the events, for the log.
        records: what cannot be taken.
    """

    numbers: StreamTally
    segment: PreparedSegment
    records: ToldRecords

    @classmethod
    def of(cls, numbers: StreamTally, segment: PreparedSegment, records: ToldRecords) -> CountedStream:
        """One of which no event is here."""
        return cls(_NO_EVENTS, _NO_EVENTS, _NOTHING, numbers.duplicates, numbers.unlinked, numbers, segment, records)

    @property
    def tally(self) -> StreamTally:
        """The numbers."""
        return self.numbers

    @property
    def archived(self) -> PreparedSegment:
        """The events to archive, admitted ones and late ones, marked."""
        return self.segment

    def behind(self, earlier: Sequence[StreamResult]) -> CountedStream:
        """The numbers of all; of them the last one has the segment, and what cannot be taken."""
        tally = reduce(StreamTally.with_more, (one.tally for one in earlier), self.numbers)
        return self.of(tally, self.segment, self.records)


@dataclass(frozen=True, slots=True)
class SplitIntake:
    """The files of a batch; see `BatchIntake`.

    Attributes:
        splits: by place and stream.
        unreadable: by stream, files of which nothing can be read.
        given: gives a split of events that an archiver has kept, by stream.
        logged: streams whose events the log has, and their source no more: what else became of their records is known.
        before: see `EarlierEvents`.
    """

    splits: Sequence[Split]
    unreadable: Mapping[str, Sequence[UnreadableFile]]
    given: Callable[[str, SegmentSlice], Split]
    logged: frozenset[str] = frozenset()
    before: LoggedBefore | None = None

    def batch(self, dataflow: Dataflow, planned: datetime | None, latest: datetime | None) -> Batch:
        """The files, for a data flow in tasks."""
        del dataflow
        clock = None if planned is None else (planned, latest)
        splits = [replace(split, clock=clock) for split in self.splits]
        return SplitBatch(splits=splits, unreadable=self.unreadable, logged=self.before)

    def spooled(self, kept: KeptEvents) -> Iterator[SplitBatch]:
        """All events at once, as splits before its own; none of streams whose events the log has."""
        slices = {name: of for name, of in kept.slices().items() if name not in self.logged}
        splits = [
            replace(self.given(name, one), place=place - len(of))
            for name, of in slices.items()
            for place, one in enumerate(of)
        ]
        if splits:
            yield SplitBatch(splits=splits, last=False, logged=self.before)

    def taken(self, streams: Mapping[str, StreamResult]) -> Mapping[str, TakenRecords]:
        """What tasks tell of them."""
        found: dict[str, TakenRecords] = {}
        for name, stream in streams.items():
            if isinstance(stream, CountedStream) and name not in self.logged:
                found[name] = with_unreadable(stream.records, self.unreadable.get(name, ()))
        return found


def with_unreadable(records: ToldRecords, files: Sequence[UnreadableFile]) -> ToldRecords:
    """What is told of records, with a note of files that could not be read."""
    letters = (Malformed(file.path, f"the file {file.complaint}", file.path) for file in files)
    return replace(records, malformed=(*records.malformed, *letters), unreadable=(*records.unreadable, *files))
