"""The source streams of a data flow: which of their tuples are admitted, and how far their watermarks are."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache, partial

import polars as pl
import pyarrow as pa

from ...annotator import AnnotatedBatch, Annotator
from ...cep import END_OF_TIME
from ..profile import StreamProfile, StreamProfiler
from .admission import MOST_IDENTITIES, Admission
from .batch_result import StreamResult

__all__ = ["KnownIdentities", "SourceStreams", "StreamMoments", "admission_of", "no_identities"]

StreamMoments = Mapping[str, tuple[datetime | None, datetime | None]]
"""By stream, its greatest time stamp, and where its watermark was moved by wall clock."""
KnownIdentities = Callable[[str, datetime | None, int | None], pa.Table]
"""Gives `_id` and `_time` of a stream's events from some moment on, or of so many last ones; in order of arrival."""

_LOG = logging.getLogger("kaicep")

_STREAM = "stream/"


def no_identities(_stream: str, _start: datetime | None, _count: int | None) -> pa.Table:
    """`KnownIdentities` where none is known, for whoever takes no later event, or leaves duplicates to others."""
    return _none_known()


@cache
def _none_known() -> pa.Table:
    """Made once, and not when this is imported: whoever makes a table from columns loads pandas."""
    return pa.table({"_id": pa.array([], pa.string()), "_time": pa.array([], pa.timestamp("us", "UTC"))})


class SourceStreams:
    """Streams by name.

    Args:
        annotators: what annotates their tuples.
        lateness: how far an event may lie behind the greatest time stamp before it.
        identities: of a stream where no watermark says that one cannot come again, so many are remembered.
    """

    def __init__(
        self, annotators: Mapping[str, Annotator], lateness: Mapping[str, timedelta], identities: int = MOST_IDENTITIES
    ) -> None:
        self._identities, self._forgetful = identities, set[str]()
        self._admissions = {name: admission_of(a, lateness[name], identities) for name, a in annotators.items()}
        self._profilers = {name: StreamProfiler(a.shape) for name, a in annotators.items()}

    @property
    def watermarks(self) -> dict[str, datetime | None]:
        """By stream, what no event that is admitted from now on lies below."""
        return {name: admission.watermark for name, admission in self._admissions.items()}

    @property
    def greatest(self) -> dict[str, datetime | None]:
        """By stream, the greatest time stamp so far; `None`: before its first event."""
        return {name: admission.greatest for name, admission in self._admissions.items()}

    @property
    def begun(self) -> frozenset[str]:
        """Those that have delivered an event."""
        return frozenset(name for name, greatest in self.greatest.items() if greatest is not None)

    @property
    def profile(self) -> dict[str, StreamProfile]:
        """By stream, what its tuples were, since this was made."""
        return {name: profiler.profile for name, profiler in self._profilers.items()}

    def admit(self, name: str, batch: AnnotatedBatch) -> StreamResult:
        """Judge the tuples of a stream, in order of arrival."""
        self._profilers[name].note(batch)
        admitted = self._admissions[name].admit(batch.events)
        if self._admissions[name].forgets and name not in self._forgetful:
            self._forgetful.add(name)
            _LOG.warning(
                "'%s' has had more than %s identities, and the earliest are forgotten: a record that comes again after "
                "so many others is new; let its identity have the time stamp, or raise identities under [engine]",
                *(name, f"{self._identities:,}"),
            )
        return StreamResult(admitted.events, admitted.late, batch.rejected, admitted.duplicates, batch.unlinked)

    def advance(self, advances: Mapping[str, datetime]) -> None:
        """Move watermarks of silent streams; whatever comes below them is late."""
        for name, watermark in advances.items():
            self._admissions[name].advance(watermark)

    def end(self) -> dict[str, datetime | None]:
        """End every stream: the watermark passes everything."""
        for admission in self._admissions.values():
            admission.end()
        return dict.fromkeys(self._admissions, END_OF_TIME)

    def taken(self) -> dict[str, Callable[[], bytes]]:
        """By name, gives the state of a stream as it is now, for `restore`, from any thread."""
        return {_STREAM + name: admission.taken() for name, admission in self._admissions.items()}

    def snapshot(self) -> dict[str, bytes]:
        """The same as bytes."""
        return {name: state() for name, state in self.taken().items()}

    @property
    def moments(self) -> StreamMoments:
        """By stream, its time; of those that have not begun there is none."""
        found = {name: admission.moments for name, admission in self._admissions.items()}
        return {name: moments for name, moments in found.items() if any(moments)}

    @property
    def seen(self) -> Mapping[str, pl.DataFrame]:
        """By stream, `_id` and `_time` of what may come again, in order of arrival."""
        return {name: admission.seen for name, admission in self._admissions.items()}

    def recall(self, moments: StreamMoments, known: KnownIdentities) -> None:
        """Be where the streams were, by what was kept of their events; see `Admission.recall`.

        Args:
            moments: as they were then.
            known: gives the identities of a stream's events.
        """
        for name, admission in self._admissions.items():
            admission.recall(*moments.get(name, (None, None)), partial(known, name))

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Go on from a snapshot with those of the streams that it holds.

        Raises:
            OperatorError: a part of the snapshot is of another version.
        """
        for name, admission in self._admissions.items():
            if _STREAM + name in state:
                admission.restore(state[_STREAM + name])


def admission_of(annotator: Annotator, lateness: timedelta, identities: int = MOST_IDENTITIES) -> Admission:
    """What judges the tuples of a stream."""
    annotation = annotator.annotation
    bounded = not annotation.identity or annotation.time in annotation.identity
    return Admission(lateness, bounded=bounded, most=identities)
