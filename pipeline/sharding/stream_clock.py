"""Where the time of a stream is when its records are read in splits: prefix maxima, watermarks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial

from ..flow import admission_of, no_identities
from .hosted_queries import HostedQueries
from .identity_part import ReadSplit
from .split_part import SplitReport

__all__ = ["StreamClock"]


class StreamClock:
    """The time of one stream.

    Args:
        queries: of the plan.
        stream: its name.
        moments: its greatest time stamp, and where its watermark was moved by wall clock; `None`: not yet.
    """

    def __init__(
        self,
        queries: HostedQueries,
        stream: str,
        moments: tuple[datetime | None, datetime | None] = (None, None),
    ) -> None:
        self._queries, self._stream = queries, stream
        catalog = queries.plan.catalog
        self._lateness = catalog.settings.streams[stream].lateness
        self._admission = admission_of(catalog.annotators[stream], self._lateness)
        self._recall(moments)

    def _recall(self, moments: tuple[datetime | None, datetime | None]) -> None:
        self._admission.recall(*moments, partial(no_identities, self._stream))

    @property
    def moments(self) -> tuple[datetime | None, datetime | None]:
        """See the argument."""
        return self._admission.moments

    @property
    def watermark(self) -> datetime | None:
        """What no event that counts lies below from now on."""
        return self._admission.watermark

    def read(self, reports: Sequence[SplitReport]) -> tuple[ReadSplit, ...]:
        """The splits of a batch in order of arrival, with the greatest time stamp before each."""
        found, greatest = [], self.moments[0]
        for report in sorted(reports, key=lambda report: report.split.place):
            found.append(ReadSplit(report.split.stream, report.split.place, report.file, greatest))
            greatest = latest([greatest, report.greatest])
        return tuple(found)

    def watermark_behind(self, reports: Sequence[SplitReport]) -> datetime | None:
        """What no event that counts will lie below when these splits have passed, if all of their events count."""
        own, floor = self.moments
        behind = latest([own, *(report.greatest for report in reports)]), floor
        return StreamClock(self._queries, self._stream, behind).watermark

    def is_clear(self, reports: Sequence[SplitReport]) -> bool:
        """Whether all events of these splits count, but those whose identities came before in their own split.

        An identity that determines its time stamp has no equal where no other split, and nothing that was seen, has
        its time. None is late if each split begins above the watermark that those before it leave, and its events are
        in order, or not further from it than they may be.
        """
        if not self._queries.is_bounded(self._stream):
            return False
        greatest, floor = self.moments
        spans = []
        for report in sorted(reports, key=lambda report: report.split.place):
            if report.least is None or report.greatest is None:
                continue
            lag = max(report.lag, timedelta() if greatest is None else greatest - report.least)
            if lag > self._lateness or (floor is not None and report.least < floor):
                return False
            spans.append((report.least, report.greatest))
            greatest = latest([greatest, report.greatest])
        spans.sort()
        ends = (self.moments[0], *(end for _, end in spans))
        return all(end is None or end < start for end, (start, _) in zip(ends, spans, strict=False))

    def pass_to(self, greatest: Iterable[datetime | None]) -> None:
        """Have seen events with these time stamps."""
        own, floor = self.moments
        self._recall((latest([own, *greatest]), floor))

    def advance(self, watermark: datetime) -> None:
        """Move the watermark of a stream that has been silent; it never goes back."""
        self._admission.advance(watermark)


def latest(moments: Iterable[datetime | None]) -> datetime | None:
    """The greatest of some moments; `None`: there is none."""
    return max((moment for moment in moments if moment is not None), default=None)
