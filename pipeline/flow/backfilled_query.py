"""A query that was submitted late and begins in the past: it catches up beside the live stream without stalling it.

A thread of its own takes such a query through the archive up to the batch at whose border it was registered, then
through the batches that have come meanwhile, as the log has them. When it has none left, the data flow takes the query
over at the next border. Rows wait until a batch hands them to the sinks, so they come in their order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping

import pyarrow as pa

from ...errors import KaicepError, PipelineError
from .batch_result import Past
from .dataflow import Dataflow

__all__ = ["BackfilledQuery"]

_MOST_WAITING = 1_000_000

Logged = Callable[[int], Iterable[tuple[int, Past]]]
"""The batches of the log behind a batch, with their numbers."""


class BackfilledQuery:
    """One query on its way from the past to the live stream.

    Args:
        label: the query's.
        rehearsed: a data flow of its own, with this query and those whose output it reads.
        past: gives the rows of the past by label, piece by piece; at its end `rehearsed` is where batch `last` ended.
        logged: the batches behind.
        last: the batch before the border at which the query was registered.
        handed: how many of its rows an earlier process has handed over; they come again, and are left out.
    """

    def __init__(
        self,
        label: str,
        rehearsed: Dataflow,
        past: Iterator[Mapping[str, pa.Table]],
        logged: Logged,
        *,
        last: int,
        handed: int = 0,
    ) -> None:
        self.label, self.rehearsed, self.handed = label, rehearsed, handed
        self._past, self._logged, self._last = past, logged, last
        self._again = handed
        self._rows: list[pa.Table] = []
        self._changed = threading.Condition()
        self._stopped = False
        self._caught_up = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=f"kaicep-past-{label}", daemon=True)
        self._thread.start()

    @property
    def caught_up(self) -> bool:
        """Whether nothing of the past is left but what came since the thread ended.

        Raises:
            PipelineError: the past cannot be answered.
        """
        self._check()
        return self._caught_up

    def take(self) -> list[pa.Table]:
        """The rows that are ready to be handed over, in their order."""
        with self._changed:
            rows, self._rows = self._rows, []
            self.handed += sum(table.num_rows for table in rows)
            self._changed.notify_all()
        return rows

    def wait(self) -> list[pa.Table]:
        """Wait until it has caught up; the rows that are ready by then."""
        rows = self.take()
        while self._thread.is_alive():
            self._thread.join(0.05)
            rows += self.take()
        self._check()
        return rows + self.take()

    def arrive(self) -> list[pa.Table]:
        """Go on through what came since the thread ended, on the caller's; the rows of that."""
        self._follow()
        return self.take()

    def stop(self) -> None:
        """Give up."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        try:
            for rows in self._past:
                if not self._put(rows):
                    return
            self._follow()
            self._caught_up = True
        except Exception as error:  # noqa: BLE001 - whatever ends the thread has to surface at the next batch
            self._failure = error

    def _follow(self) -> None:
        """Take batches of the log until none is left."""
        found = True
        while found and not self._stopped:
            found = False
            for batch, past in self._logged(self._last):
                self._put(self.rehearsed.replay(past).matches)
                self._last, found = batch, True
                if self._stopped:
                    return

    def _put(self, rows: Mapping[str, pa.Table]) -> bool:
        """Let rows wait; tell whether to go on."""
        table = rows.get(self.label)
        if table is not None and table.num_rows:
            again = min(self._again, table.num_rows)
            self._again -= again
            with self._changed:
                self._rows.append(table.slice(again))
                if threading.current_thread() is self._thread:
                    self._changed.wait_for(lambda: self._stopped or self._waiting() < _MOST_WAITING)
        return not self._stopped

    def _waiting(self) -> int:
        return sum(table.num_rows for table in self._rows)

    def _check(self) -> None:
        if isinstance(self._failure, KaicepError):
            raise self._failure
        if self._failure is not None:
            raise PipelineError(
                f"the past of '{self.label}' cannot be answered: {self._failure}",
                hint="withdraw the query, or see whether the archive is whole",
            ) from self._failure
