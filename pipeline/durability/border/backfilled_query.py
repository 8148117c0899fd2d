"""A backfilled query of an engine catches up beside the live stream without stalling it.

A thread of its own takes it through the archive up to the batch at whose border it was registered, then through the
batches that have come meanwhile, as the log has them. Rows wait until a batch hands them to the sinks, so they come in
their order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from ....errors import KaicepError, PipelineError
from ...flow import Batch, BatchSource, CancelledError, Dataflow, ParkedQuery
from ...sinks import marked
from ..replay import StateReplay

__all__ = ["BackfilledQuery", "LoggedBatches", "ParkedPast"]

_MOST_WAITING = 1_000_000

LoggedBatches = Callable[[int], Iterable[tuple[int, Batch]]]
"""The batches of the log behind a batch, with their numbers."""


class QueryPast(Protocol):
    """The past of a query up to the batch before some border."""

    @property
    def dataflow(self) -> Dataflow:
        """What its batches are for, with the query and those whose output it reads."""

    @property
    def done(self) -> float:
        """How much of it lies behind, from 0 to 1."""

    def batches(self) -> Iterable[Batch]:
        """The past, piece by piece."""


@dataclass(frozen=True, slots=True)
class ParkedPast:
    """The past of a query that is resumed: the state that it was parked with; the log has what it has missed since.

    Attributes:
        dataflow: with that state.
        parked: what is known of the query.
        replay: brings the data flow to that state, where none was kept.
    """

    dataflow: Dataflow
    parked: ParkedQuery
    replay: StateReplay | None = None

    @property
    def done(self) -> float:
        """See `QueryPast`."""
        return 1.0 if self.replay is None else self.replay.done

    def batches(self) -> Iterable[Batch]:
        """What the state comes from."""
        return () if self.replay is None else self.replay.batches()


class BackfilledQuery:
    """One query on its way from the past to the live stream.

    Args:
        label: the query's.
        past: what it begins with, at whose end is the border after batch `last`.
        logged: the batches behind.
        last: the batch before the border at which the query was registered.
        handed: how many of its rows, or calls of a rule, an earlier process has handed over; they come again, and are
            left out.
    """

    def __init__(self, label: str, past: QueryPast, logged: LoggedBatches, *, last: int, handed: int = 0) -> None:
        self.label, self.dataflow, self.handed = label, past.dataflow, handed
        self.parked = past.parked if isinstance(past, ParkedPast) else None
        self._past, self._logged, self._last = past, logged, last
        self._again = handed
        self._rows: list[pa.Table] = []
        self._calls: list[pa.Table] = []
        self._changed = threading.Condition()
        self._stopped = self._still = False
        self._caught_up = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=f"kaicep-past-{label}", daemon=True)
        self._thread.start()

    @property
    def caught_up(self) -> bool:
        """Whether nothing of the past is left but what came since the thread ended."""
        return self._caught_up

    @property
    def done(self) -> float:
        """How much of the past lies behind that there was when it was registered, from 0 to 1."""
        return self._past.done

    @property
    def failure(self) -> KaicepError | None:
        """Why its past cannot be answered; `None`: it can."""
        if self._failure is None or isinstance(self._failure, KaicepError):
            return self._failure
        failure = PipelineError(
            f"the past of '{self.label}' cannot be answered: {self._failure}",
            hint="withdraw the query, or see whether the archive is whole",
        )
        failure.__cause__ = self._failure
        return failure

    def fail(self, failure: KaicepError) -> None:
        """Be one whose past cannot be answered, for a reason that it does not know itself."""
        self._failure = failure

    def take(self) -> list[pa.Table]:
        """The rows that are ready to be handed over, in their order."""
        with self._changed:
            rows, self._rows = self._rows, []
            self.handed += sum(table.num_rows for table in rows)
            self._changed.notify_all()
        return rows

    def take_calls(self) -> list[pa.Table]:
        """Of a rule, what it calls for rows since its registration, as `rules.in_order` takes it."""
        with self._changed:
            calls, self._calls = self._calls, []
            self.handed += sum(table.num_rows for table in calls)
        return calls

    def pause(self, *, still: bool) -> None:
        """Take no more batches for now, or go on."""
        with self._changed:
            self._still = still
            self._changed.notify_all()

    def wait(self) -> list[pa.Table]:
        """Wait until it has caught up; the rows that are ready by then."""
        self.pause(still=False)
        rows = self.take()
        while self._thread.is_alive():
            self._thread.join(0.05)
            rows += self.take()
        return rows + self.take()

    def arrived(self) -> bool:
        """Go on through what came since the thread ended, on the caller's; tell whether it is where the stream is."""
        try:
            self._follow()
        except Exception as error:  # noqa: BLE001 - it is this query's, and not the batch's
            self._failure = error
        return self._failure is None

    def stop(self) -> None:
        """Give up."""
        self.dataflow.cancel()
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        try:
            for batch in self._past.batches():
                if not self._process(batch):
                    return
            self._follow()
            self._caught_up = not self._stopped
        except CancelledError:
            return
        except Exception as error:  # noqa: BLE001 - whatever ends the thread has to surface at the next batch
            self._failure = error

    def _follow(self) -> None:
        """Take batches of the log until none is left."""
        found = True
        while found and not self._stopped:
            found = False
            for number, batch in self._logged(self._last):
                self.dataflow.cross(number)
                self._process(batch, recovered=self.parked is not None and number <= self.parked.missed)
                self._last, found = number, True
                if self._stopped:
                    return

    def _process(self, batch: Batch, *, recovered: bool = False) -> bool:
        """Process a batch and let its rows wait, but those that were reported; tell whether to go on.

        Args:
            batch: of the past, or of the log.
            recovered: whether its rows were missed when an engine went down.
        """
        for answer in self.dataflow.process(batch).rows():
            table = answer.rows
            if batch.source is BatchSource.STATE or answer.label != self.label:
                continue
            if answer.calls is not None:  # of a rule, which has no rows
                done = min(self._again, answer.calls.num_rows)
                self._again -= done
                with self._changed:
                    self._calls.append(answer.calls.slice(done))
            again = min(self._again, table.num_rows)
            self._again -= again
            with self._changed:
                if again < table.num_rows:
                    rows = table.slice(again)
                    self._rows.append(marked(rows, "archive", recovered=True) if recovered else rows)
                if threading.current_thread() is self._thread:
                    self._changed.wait_for(lambda: self._stopped or self._waiting() < _MOST_WAITING)
        if threading.current_thread() is self._thread:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or not self._still)
        failed = next((f.failure for f in self.dataflow.flows.values() if f.failure is not None), None)
        if failed is not None:
            raise failed
        return not self._stopped

    def _waiting(self) -> int:
        return sum(table.num_rows for table in self._rows)
