"""The handle of a registered query."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from ...errors import CeilingError, PipelineError
from ...language.nodes import Query
from ...semfilter.runtime import SubqueryStatistics
from ..flow import Registration
from ..sinks import rows

if TYPE_CHECKING:
    from .engine import StreamingEngine

State = Literal["registered", "running", "ended", "failed"]
_POLL_SECONDS = 0.2


class QueryHandle:
    """A registered query: its rows as they become certain, its plan, its state.

    Attributes:
        name: the query's label.
        query: the checked query.
        failure: why the query was stopped; `None`: it was not.
        ending: why no further row can come, in words, such as that WITHIN has passed; `None`: one can.
    """

    def __init__(self, engine: StreamingEngine, registration: Registration, *, collect: bool) -> None:
        self.name = registration.label
        self.query: Query = registration.query
        self._engine = engine
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
        return self._engine.now_of(self.name)

    def explain(self) -> str:
        """How the query is answered, in words; once it is, with what its PATHs have cost so far."""
        return self._engine.explain(self.name, self.query)

    @property
    def subqueries(self) -> tuple[SubqueryStatistics, ...]:
        """What each of the query's PATHs has cost so far: hits, misses, time."""
        return self._engine.progress.subqueries.get(self.name, ())

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
            self._engine.start()
        while True:
            try:
                table = self._arrived.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                self._engine.check()
                continue
            if table is None:
                break
            yield from rows(table)
        if self.failure is not None:
            raise CeilingError(self.failure)

    def stop(self) -> None:
        """Withdraw the query from the engine at the next batch border; its rows end."""
        self._engine.withdraw(self.name)
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
