"""The handle of a registered query."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal, Protocol

import pyarrow as pa

from ...errors import CeilingError, PipelineError
from ...language.nodes import Query
from ...semfilter.runtime import SubqueryStatistics
from ..durability import Progress
from ..flow import Registration
from ..sinks import rows

State = Literal["registered", "running", "ended", "failed"]
_POLL_SECONDS = 0.2


class QueryHost(Protocol):
    """What a handle asks of the engine that answers its query."""

    @property
    def progress(self) -> Progress:
        """What was done so far, over restarts."""

    def now_of(self, label: str) -> datetime | None:
        """The time of its streams at which a query was registered; `None`: before their first event, or not yet."""

    def explain(self, label: str, query: Query) -> str:
        """How a query is answered, in words."""

    def withdraw(self, label: str) -> None:
        """Stop answering a query at the next batch border."""

    def start(self) -> None:
        """Begin to read the streams; does nothing when they are being read."""

    def check(self) -> None:
        """Raise what made a batch fail."""


class QueryHandle:
    """A registered query: its rows as they become certain, its plan, its state.

    Attributes:
        name: the query's label.
        query: the checked query.
        failure: why the query was stopped; `None`: it was not.
        ending: why no further row can come, in words, such as that WITHIN has passed; `None`: one can.
    """

    def __init__(self, host: QueryHost, registration: Registration, *, collect: bool) -> None:
        self.name = registration.label
        self.query: Query = registration.query
        self._host = host
        self._collect = collect
        self._arrived: queue.SimpleQueue[pa.Table | None] = queue.SimpleQueue()
        self._state: State = "registered"
        self.failure: str | None = None
        self.ending: str | None = None

    @property
    def state(self) -> State:
        """`registered` until its first batch, then `running`, `ended` when no further row can come.

        `failed`: the query alone was stopped, because it asked for more than its ceilings allow; see `failure`.
        """
        return self._state

    @property
    def now(self) -> datetime | None:
        """The query's `now`: the time of its streams at registration; `None`: before their first event, or not yet."""
        return self._host.now_of(self.name)

    def explain(self) -> str:
        """How the query is answered, in words; once it is, with what its PATHs have cost so far."""
        return self._host.explain(self.name, self.query)

    @property
    def subqueries(self) -> tuple[SubqueryStatistics, ...]:
        """What each of the query's PATHs has cost so far: hits, misses, time."""
        return self._host.progress.subqueries.get(self.name, ())

    def matches(self) -> Iterator[dict[str, Any]]:
        """The rows in order, as dictionaries; waits for more until the query or the engine ends.

        Starts the engine when it is not running yet.

        Raises:
            PipelineError: a batch failed, or the query was submitted with `collect=False`.
            CeilingError: the query was stopped; the rows before that have been given.
        """
        if not self._collect:
            raise PipelineError(f"the rows of '{self.name}' are not kept", hint="submit it with collect=True")
        if self._state not in ("ended", "failed"):
            self._host.start()
        while True:
            try:
                table = self._arrived.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                self._host.check()
                continue
            if table is None:
                break
            yield from rows(table)
        if self.failure is not None:
            raise CeilingError(self.failure)

    def stop(self) -> None:
        """Withdraw the query from the engine at the next batch border; its rows end."""
        self._host.withdraw(self.name)
        self.end()

    def receive(self, matches: pa.Table, *, ending: str | None = None, failure: str | None = None) -> bool:
        """Take the rows of one batch; tell whether the query has ended with them.

        Args:
            matches: the rows.
            ending: why no further row can come; `None`: one can.
            failure: why the query was stopped; `None`: it was not.
        """
        if self._state in ("ended", "failed"):
            return False
        self._state = "running"
        if self._collect and matches.num_rows:
            self._arrived.put(matches)
        if ending is not None:
            self.ending, self.failure = ending, failure
            self.end()
        return ending is not None

    def end(self) -> None:
        """Note that no further row comes."""
        if self._state not in ("ended", "failed"):
            self._state = "ended" if self.failure is None else "failed"
            self._arrived.put(None)
