"""Where batches are read and answered: what an engine asks of the driver, or of executors (docs/decisions/323)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ....archive import Archive
from ....archive.sync import KeptEvents
from ...catalog import Catalog
from ...flow import Batch, Dataflow, Registration, StreamResult
from ...sources import RawBatch, TakenRecords
from ..flow_state import RestoredState
from ..journal import BatchFiles

__all__ = ["BatchHosting", "BatchIntake", "RowWriter"]

RowWriter = Callable[[str, Path], Sequence[tuple[Path, int]]]
"""Lets executors write down the rows of a stream in a folder: gives the files, each with how many rows come before."""


class BatchIntake(Protocol):
    """What one batch is made of, before anybody has judged it."""

    def batch(self, dataflow: Dataflow, planned: datetime | None, latest: datetime | None) -> Batch:
        """It, for the data flow.

        Args:
            dataflow: that is to process it.
            planned: wall clock when Spark planned it; `None`: its events are of any time.
            latest: the latest wall clock of the batches before; `None`: there was none.
        """

    def spooled(self, kept: KeptEvents) -> Iterator[Batch]:
        """What an archiver has kept and comes before it, piece by piece.

        Args:
            kept: which events that are.
        """

    def taken(self, streams: Mapping[str, StreamResult]) -> Mapping[str, TakenRecords]:
        """By stream, what is left of its records.

        Args:
            streams: what the data flow has made of it.
        """


class BatchHosting(Protocol):
    """What of an engine depends on where its batches are read and answered."""

    @property
    def replayable(self) -> bool:
        """Whether a replay of the log brings queries to where they were; otherwise each batch has a snapshot."""

    def begin(self) -> None:
        """See that batches can be done, before the first one.

        Raises:
            PipelineError: they cannot, with the way out.
        """

    def dataflow(self, project: Catalog) -> Dataflow:
        """An empty data flow."""

    def recovering(self, project: Catalog, state: RestoredState) -> Dataflow:
        """An empty data flow to go back to a state with: from a snapshot, or by what the log has."""

    def recovered(self, dataflow: Dataflow, number: int) -> Dataflow:
        """The data flow to go on with.

        Args:
            dataflow: one of `recovering`.
            number: the batch at whose end it is.
        """

    def intake(
        self,
        number: int,
        files: BatchFiles,
        read: Callable[[BatchFiles], Mapping[str, RawBatch]],
        write: RowWriter | None = None,
    ) -> BatchIntake:
        """A batch that Spark delivers.

        Args:
            number: its own.
            files: that it has.
            read: gives its records by stream, on the driver.
            write: lets executors write down its rows; `None`: nobody does.
        """

    def logged(self, number: int) -> BatchIntake:
        """What the log has of a batch that was begun and that nobody delivers again."""

    def restored(self, state: RestoredState, number: int, archive: Archive | None) -> RestoredState:
        """What is known of the end of a batch, as far as it is of use here.

        Raises:
            PipelineError: it is of no use, and nothing gives it again.
        """

    def check_submitted(self, dataflow: Dataflow, registrations: Sequence[Registration]) -> None:
        """Refuse queries that cannot be answered from the next batch on.

        Raises:
            PipelineError: with the way out.
        """

    def rows_at_end(self, dataflow: Dataflow) -> dict[str, int]:
        """By query label, how many rows the end of the streams would bring now."""

    def cancel(self) -> None:
        """Leave the batch at work, from any thread."""
