"""Batches that the driver reads and answers itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ....annotator import AnnotatedBatch
from ....archive import Archive
from ....archive.sync import KeptEvents
from ....errors import PipelineError
from ...catalog import Catalog
from ...flow import Batch, Dataflow, Registration, StreamResult, live_batch, refuse_ahead, rows_at_end
from ...sources import RawBatch, TakenRecords, source_streams, without_unreadable
from ..flow_state import HOSTING, RestoredState
from ..journal import BatchFiles
from .batch_hosting import BatchIntake, RowWriter

__all__ = ["CollectedRecords", "DriverHosting"]

_WORKERS = 3


@dataclass(frozen=True, slots=True)
class CollectedRecords:
    """Records that are on the driver; see `BatchIntake`.

    Attributes:
        project: with the annotations' settings.
        records: by stream.
    """

    project: Catalog
    records: Mapping[str, RawBatch]

    def batch(self, dataflow: Dataflow, planned: datetime | None, latest: datetime | None) -> Batch:
        """The records, annotated."""
        live = live_batch(dataflow.annotators, {stream: raw.table for stream, raw in self.records.items()})
        if planned is None:
            return live
        return replace(live, events=refuse_ahead(live.events, self.project.settings.streams, planned, latest))

    def spooled(self, kept: KeptEvents) -> Iterator[Batch]:
        """The events, read here."""
        for piece in kept.pieces():
            yield Batch({stream: AnnotatedBatch.of_logged(table) for stream, table in piece.items()})

    def taken(self, streams: Mapping[str, StreamResult]) -> Mapping[str, TakenRecords]:
        """The records themselves."""
        del streams
        return self.records


class DriverHosting:
    """The driver has the records of a batch, and its data flow answers them; see `BatchHosting`.

    Args:
        project: with the settings.
    """

    replayable = True

    def __init__(self, project: Catalog) -> None:
        self._project = project

    def begin(self) -> None:
        """The driver is there."""

    def dataflow(self, project: Catalog) -> Dataflow:
        """One whose queries fail each by itself."""
        return project.dataflow(_WORKERS, isolated=True, timely=True)

    def recovering(self, project: Catalog, state: RestoredState) -> Dataflow:
        """The same."""
        del state
        return self.dataflow(project)

    def recovered(self, dataflow: Dataflow, number: int) -> Dataflow:
        """The same."""
        del number
        return dataflow

    def intake(
        self,
        number: int,
        files: BatchFiles,
        read: Callable[[BatchFiles], Mapping[str, RawBatch]],
        write: RowWriter | None = None,
    ) -> BatchIntake:
        """The records, read here."""
        del number, write
        if files.logged:  # the log gives their events
            files = replace(files, only=source_streams(self._project.settings).keys() - files.logged)
        records = dict(read(files)) if files.only != set() else {}
        for stream, unreadable in files.unreadable.items():
            records[stream] = without_unreadable(records.get(stream), unreadable)
        return CollectedRecords(self._project, records)

    def logged(self, number: int) -> BatchIntake:
        """Nothing: what the log has of a batch is put to what comes again, which is nothing."""
        del number
        return CollectedRecords(self._project, {})

    def restored(self, state: RestoredState, number: int, archive: Archive | None) -> RestoredState:
        """What executors have left is of no use here; the log gives it again."""
        del number
        if HOSTING not in state.operators:
            return state
        if archive is None:
            raise PipelineError(
                'the state is that of hosting = "executors", and there is no archive to rebuild it from',
                hint='go on with hosting = "executors" under [engine], or with another state folder',
            )
        return RestoredState(0, {}, state.reported, state.delivered)

    def check_submitted(self, dataflow: Dataflow, registrations: Sequence[Registration]) -> None:
        """Nothing is refused."""

    def rows_at_end(self, dataflow: Dataflow) -> dict[str, int]:
        """Tried on a copy."""
        return rows_at_end(dataflow)

    def cancel(self) -> None:
        """The data flow does."""
