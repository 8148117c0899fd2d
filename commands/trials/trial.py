"""A trial: queries over recorded events, batch by batch through the one data flow, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from ...annotator import AnnotatedBatch
from ...cep import END_OF_TIME
from ...language.nodes import Query, Timer, walk_pattern
from ...pipeline import Catalog
from ...pipeline.durability import Progress
from ...pipeline.flow import Batch, BatchResult, Registration
from ...pipeline.monitoring import StageClock
from ...pipeline.sources import RawBatch
from .external_sort import in_order_of_time
from .record_complaints import RecordComplaints
from .recorded_source import RecordedStream

__all__ = ["Trial"]

_FIRST = datetime.min.replace(tzinfo=UTC)


class Trial:
    """Queries of a project over recorded streams, which end then.

    Of several streams the one whose watermark is lowest is read on, so that little waits for the others; the rows are
    those of any other order.

    Args:
        project: of streams and queries.
        queries: each after those whose output it reads; when they were registered is of no account.
        streams: the records, by stream; a stream that is not among them has none.

    Attributes:
        dataflow: what answers the queries.
        labels: of the queries, in their order.
        progress: the counts so far.
        complaints: what could not be used of the records so far.
    """

    def __init__(
        self, project: Catalog, queries: Sequence[Registration], streams: Mapping[str, RecordedStream]
    ) -> None:
        self.dataflow = project.dataflow(isolated=True)
        self.labels = [registration.label for registration in queries]
        for registration in queries:
            self.dataflow.register(registration)
        self.progress = Progress()
        self.complaints = RecordComplaints()
        self._annotators = project.annotators
        self._times = {name: stream.time for name, stream in project.settings.streams.items()}
        self._streams = streams
        self._recurs = any(_recurs(registration.query) for registration in queries)

    @property
    def size(self) -> int:
        """How many bytes the files have."""
        return sum(stream.bytes for stream in self._streams.values())

    @property
    def taken(self) -> int:
        """How many of them have been read, about."""
        return sum(stream.taken for stream in self._streams.values())

    def remarks(self) -> Iterator[str]:
        """What could not be used so far: files without records, records that are no events."""
        for stream in self._streams.values():
            yield from (f"{path} has no record: it is empty, or has a header alone" for path in stream.without_records)
        yield from self.complaints.lines()

    def results(self) -> Iterator[BatchResult]:
        """What each batch brings; the last one ends the streams. Whoever takes its rows does so before the next.

        Raises:
            KaicepError: a file cannot be read, or the last query fails; at the end, that another one has failed.
        """
        open_streams = {name: self._annotated(name, stream) for name, stream in self._streams.items()}
        ended = [name for name in self._annotators if name not in open_streams]
        while open_streams:
            name = self._lowest(open_streams)
            piece = next(open_streams[name], None)
            if piece is None:
                del open_streams[name]
                ended.append(name)
            else:
                events, malformed = piece
                batch = Batch({name: events}, advances=self._followed(ended, open_streams))
                yield from self._counted(batch, {name: malformed})
        yield from self._counted(Batch(ends=True), {})
        for label in self.labels:
            self.dataflow.queries.check(label)

    def _followed(self, ended: Sequence[str], names: Mapping[str, object]) -> dict[str, datetime]:
        """The watermarks of streams that have ended: with EVERY they go with the others, and all end at one moment."""
        lowest = self.dataflow.watermarks[self._lowest(names)] if self._recurs else END_OF_TIME
        return {} if lowest is None else dict.fromkeys(ended, lowest)

    def _lowest(self, names: Mapping[str, object]) -> str:
        watermarks = self.dataflow.watermarks
        return min(names, key=lambda name: watermarks[name] or _FIRST)

    def _annotated(self, name: str, stream: RecordedStream) -> Iterator[tuple[AnnotatedBatch, int]]:
        """The events of a stream piece by piece, each with how many records were malformed until then."""
        malformed = 0

        def noted() -> Iterator[AnnotatedBatch]:
            nonlocal malformed
            for raw in stream.batches():
                malformed += len(raw.malformed)
                yield self._noted(name, raw)

        for events in in_order_of_time(noted()) if stream.in_order_of_time else noted():
            yield events, malformed
            malformed = 0

    def _noted(self, name: str, raw: RawBatch) -> AnnotatedBatch:
        annotated = self._annotators[name].annotate(raw.table)
        self.complaints.note(name, raw, annotated.rejected, self._times[name])
        return annotated

    def _counted(self, batch: Batch, malformed: Mapping[str, int]) -> Iterator[BatchResult]:
        clock = StageClock()
        with clock.stage("events"):
            found = self.dataflow.process(batch)
        result = BatchResult(found.streams, clock.over("queries", found.rows()), found.watermarks, found.advances)
        yield result
        for _ in result.rows():
            pass
        for label in self.labels[-1:]:
            self.dataflow.queries.check(label)
        self.complaints.count(result.streams)
        seconds, costs = sum(clock.seconds.values()), self.dataflow.queries.subqueries
        self.progress = self.progress.after(result.streams, result.counts, malformed, seconds, costs)


def _recurs(query: Query) -> bool:
    """Whether a query goes on reporting without events, until its streams end."""
    parts = () if query.pattern is None else walk_pattern(query.pattern)
    return any(isinstance(part, Timer) and part.until is not None for part in parts)
