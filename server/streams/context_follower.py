"""What changes contexts in a log of events: each event is read once, and only the latest ones again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from time import monotonic

import pyarrow.compute as pc

from ...api import Project
from ...archive import ReadView
from ...archive.log import LogScan, Position
from ...language.nodes import ContextSet
from ...pipeline.flow import Batch, Dataflow, Registration, request_of
from ..jobs import batch_of_log, columns_of_log
from .context_chronicle import ContextChronicle

__all__ = ["ContextFollower", "FollowedQueries"]

_AT_ONCE = 100_000
"""So many events are in memory, about."""
_AHEAD = timedelta(hours=1)
"""What is younger than that, beside the lateness of streams, is read again: other streams may be as far behind."""
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class FollowedQueries:
    """Who decides about the contexts of a project.

    Attributes:
        registrations: the queries that change contexts, those that they read, and for each set one that tells changes.
        sets: by the label of that query.
    """

    registrations: Sequence[Registration]
    sets: Mapping[str, ContextSet]


class ContextFollower:
    """Answers the queries that change contexts over the whole log, as if they had been registered before it.

    What lies well behind the newest event is answered once; the operators stay as they are there. The events since are
    answered anew whenever there are more of them, by a copy: some may be missing yet. Only where one comes that lies
    before what was answered once, the log is read from its beginning; what may be missing is more from then on.

    Args:
        project: its streams and knowledge.
        followed: the queries.

    Attributes:
        sets: the windows of each set, up to `newest`.
        newest: up to when, the time stamp of the newest event; `None`: the log was empty.
        first: the time stamp of the first event.
    """

    def __init__(self, project: Project, followed: FollowedQueries) -> None:
        self._project, self._followed = project, followed
        latest = max((of.lateness for of in project.settings.streams.values()), default=timedelta(0))
        self._ahead = _AHEAD + latest
        self.newest: datetime | None = None
        self.first: datetime | None = None
        self._begin()

    def _begin(self) -> None:
        self._read: Position | None = None
        self._border: datetime | None = None
        self._flow = self._project.dataflow(isolated=True)
        for registration in self._followed.registrations:
            self._flow.register(registration)
        self._columns = {
            name: columns_of_log(self._project.annotators[name]) for name in request_of(self._flow, None, None).columns
        }
        self.sets = [ContextChronicle(of) for of in self._followed.sets.values()]

    def follow(self, archive: ReadView, seconds: float) -> float:
        """Take what the log has by now.

        Args:
            archive: its log.
            seconds: after that what is left is for the next call; one piece of the log is read at least.

        Returns:
            How much of the time of the log lies behind, from 0 to 1; below 1 the windows are not to be told.

        Raises:
            KaicepError: a query has failed, or a segment cannot be read.
        """
        extent, last = archive.log.extent(), archive.log.last
        if extent is None or last is None:
            return 1.0
        if last == self._read and extent[1] == self.newest:
            return 1.0
        self._begin_again_if_behind(archive, last, extent[1])
        done = self._settle(archive.scan(self._columns, upto=last), extent, monotonic() + seconds)
        self._read = last
        if done < 1:
            self.newest = None
            return done
        self._look_ahead(archive.scan(self._columns, upto=last), extent[1])
        self.first, self.newest = extent
        return 1.0

    def _begin_again_if_behind(self, archive: ReadView, last: Position, newest: datetime) -> None:
        """Begin at the beginning, if events have come that lie before what was answered once."""
        for chronicle in self.sets:
            chronicle.rewind()
        if self._read is None or self._border is None:
            return
        if last < self._read:  # another archive
            self._begin()
            return
        scan = archive.scan(self._columns, self._read, last)
        known = scan.time_range()
        if known is None or known[0] >= self._border:
            return
        if any(table.num_rows for table in scan.read(None, self._border, {}).values()):
            self._ahead = max(2 * self._ahead, newest - known[0])
            self._begin()

    def _settle(self, scan: LogScan, extent: tuple[datetime, datetime], deadline: float) -> float:
        """Answer once what will not change any more."""
        first, newest = extent
        end = max(newest - self._ahead, first)
        begin = first if self._border is None else self._border
        if begin >= end:
            return 1.0
        for start, until in pairwise([begin, *scan.borders(begin, end, _AT_ONCE), end]):
            self._take(self._flow, scan, start, until, until)
            self._border = until
            for chronicle in self.sets:
                chronicle.settle()
            if until < end and monotonic() > deadline:
                return (until - first) / (newest - first)
        return 1.0

    def _look_ahead(self, scan: LogScan, newest: datetime) -> None:
        """Answer what may change still, as if the watermark of every stream stood just above the newest event."""
        copy, after = self._copied(), newest + _MICROSECOND
        for flow in copy.flows.values():
            flow.holds_back = False  # what OUTPUT keeps has not come, and nobody waits for it
        borders = scan.borders(self._border, after, _AT_ONCE)
        for start, until in pairwise([self._border, *borders, after]):
            self._take(copy, scan, start, until, until or after)

    def _copied(self) -> Dataflow:
        copy = self._project.dataflow(isolated=True)
        if self._border is None:
            left = list(self._followed.registrations)
        else:
            left = copy.restore(self._flow.snapshot(), self._followed.registrations)
        for registration in left:
            copy.register(registration)
        return copy

    def _take(
        self, flow: Dataflow, scan: LogScan, start: datetime | None, until: datetime | None, passed: datetime
    ) -> None:
        """Answer the events of a time; all before `passed` are there then."""
        found, annotators = scan.read(start, until, self._columns), flow.annotators
        # The engine has admitted them all: in order of time none is late here.
        tables = {name: table.take(pc.sort_indices(table["_time"])) for name, table in found.items() if table.num_rows}
        events = {name: batch_of_log(annotators[name], table) for name, table in tables.items()}
        result = flow.process(Batch(events, advances=dict.fromkeys(annotators, passed)))
        for answer in result.rows():
            if answer.label in self._followed.sets:
                self._chronicle(answer.label).take(answer.rows)
        for registration in self._followed.registrations:
            flow.queries.check(registration.label)

    def _chronicle(self, label: str) -> ContextChronicle:
        return self.sets[list(self._followed.sets).index(label)]
