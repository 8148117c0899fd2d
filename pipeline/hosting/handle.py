"""The handle of a registered query."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal, Protocol

import pyarrow as pa

from ...cep import joined_rows
from ...cep.output import output_schema
from ...errors import KaicepError, PipelineError
from ...language.nodes import Query
from ...semfilter.runtime import SubqueryStatistics
from ..catalog import Catalog
from ..durability import Progress
from ..flow import Registration
from ..results import Rows
from ..sinks import rows as as_dicts
from ..sinks import slices

State = Literal["registered", "running", "ended", "parked", "behind"]
_POLL_SECONDS = 0.2


class QueryHost(Protocol):
    """What a handle asks of the engine that answers its query."""

    @property
    def project(self) -> Catalog:
        """The project, with the knowledge in force."""

    @property
    def progress(self) -> Progress:
        """What was done so far, over restarts."""

    def now_of(self, label: str) -> datetime | None:
        """The time of its streams at which a query was registered; `None`: before their first event, or not yet."""

    def explain(self, label: str, query: Query) -> str:
        """How a query is answered, in words."""

    def withdraw(self, label: str) -> None:
        """Stop answering a query at the next batch border."""

    def park(self, label: str, by: str | None = None) -> None:
        """Answer a query no more from the next batch border on, until it is resumed."""

    def resume(self, label: str) -> object:
        """Let a parked query go on at the next batch border."""

    @property
    def running(self) -> bool:
        """Whether the streams are being read."""

    def start(self) -> None:
        """Begin to read the streams; does nothing when they are being read."""

    def check(self) -> None:
        """Raise what made a batch fail."""


class QueryHandle:
    """A registered query: its rows as they become certain, its plan, its state.

    Attributes:
        name: the query's label.
        query: the checked query.
        failure: why the query is parked; `None`: it is not.
        behind: since when it is answered later, for others of a greater priority; `None`: it is answered live.
        ending: why no further row can come, in words, such as that WITHIN has passed; `None`: one can.
        collects: whether rows are kept for `matches`; otherwise only the sinks get them.
    """

    def __init__(self, host: QueryHost, registration: Registration, *, collect: bool) -> None:
        self.name = registration.label
        self.query: Query = registration.query
        self._host = host
        self.collects = collect
        self._kept: deque[pa.Table] = deque()
        self._changed = threading.Condition()
        self._read = self._ended = False
        self._state: State = "registered"
        self.failure: KaicepError | None = None
        self.behind: str | None = None
        self.ending: str | None = None

    @property
    def state(self) -> State:
        """`registered` until its first batch, then `running`, `ended` when no further row can come.

        `parked`: the query alone was stopped, such as for asking for more than its ceilings allow, or by `park`; see
        `failure`, and `resume`. `behind`: others go before it while the engine is behind; its rows come later, from the
        archive.
        """
        waits = self.behind is not None and self.ending is None and self.failure is None
        return "behind" if waits else self._state

    @property
    def reason(self) -> str | None:
        """Why the query is parked or behind, in words; `None`: it is neither."""
        return self.behind if self.failure is None else str(self.failure)

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
        """The rows in order, as dictionaries, each given once; ends with the query, or with the streams.

        While the streams are read it waits for more. It begins to read them if that was not done since the query was
        submitted; after `run_available` it gives what has come.

        Raises:
            PipelineError: a batch failed, or the query was submitted with `collect=False`.
            KaicepError: what the query is parked for; the rows before that have been given.
        """
        self._require_kept()
        if not self._read and not self._ended:
            self._host.start()
        while (table := self._next()) is not None:
            for rows in slices(table):
                yield from as_dicts(rows)
        self._check()

    def rows(self) -> Rows:
        """The rows that have come and that `matches` has not given; never waits, and takes none away.

        Raises:
            PipelineError: a batch failed, or the query was submitted with `collect=False`.
            KaicepError: what the query is parked for; `matches` gives the rows before that.
        """
        return Rows(self.table(), self._host.project.settings.prefixes)

    def table(self) -> pa.Table:
        """The same as columns: items, `_time`, `_events`, `_id`, `_window` of aggregates.

        Raises:
            KaicepError: as in `rows`.
        """
        self._require_kept()
        self._check()
        with self._changed:
            kept = list(self._kept)
        hidden = [item.name for item in self.query.items if item.hidden]
        return joined_rows(kept or [output_schema(self.query).empty_table().drop_columns(hidden)])

    def began(self) -> None:
        """Note that the engine reads the streams with this query."""
        self._read = True

    def stop(self) -> None:
        """Withdraw the query from the engine at the next batch border; its rows end."""
        self._host.withdraw(self.name)
        self.end()

    def receive(self, matches: pa.Table, *, ending: str | None = None) -> bool:
        """Take the rows of one batch; tell whether the query has ended with them.

        Args:
            matches: the rows.
            ending: why no further row can come; `None`: one can.
        """
        if self.collects and matches.num_rows and not self._ended:
            with self._changed:
                self._kept.append(matches)
                self._changed.notify_all()
        return self.answered(ending)

    def answered(self, ending: str | None) -> bool:
        """Note that a batch was answered, of which a rule hands nobody a row; tell whether the query has ended with it.

        Args:
            ending: why no further row can come; `None`: one can.
        """
        if self._ended:
            return False
        self._state = "running" if self.failure is None else "parked"
        if ending is not None:
            self.ending = ending
            self.end()
        return ending is not None

    def park(self, by: str | None = None) -> None:
        """Let the query wait until it is resumed, and lose nothing; see `Engine.park`.

        Args:
            by: who asks for it, for those who see it in lists.

        Raises:
            PipelineError: it is parked already, or has ended.
        """
        self._host.park(self.name, by)

    def resume(self) -> None:
        """Let the query go on, if it is parked, with what it has missed; see `Engine.resume`.

        Raises:
            PipelineError: it is not parked.
        """
        self._host.resume(self.name)

    def fall_behind(self, since: str | None) -> None:
        """Note since when the query is answered later, or that it is not."""
        self.behind = since

    def note_failure(self, failure: KaicepError | None) -> None:
        """Note why the query is parked, or that it is not."""
        if failure is self.failure or self._ended:
            return
        with self._changed:
            self.failure = failure
            self._state = "running" if failure is None else "parked"
            self._changed.notify_all()

    def end(self) -> None:
        """Note that no further row comes."""
        with self._changed:
            if not self._ended:
                self._state = "ended" if self.failure is None else "parked"
                self._ended = True
            self._changed.notify_all()

    def _next(self) -> pa.Table | None:
        """The rows of the next batch that has some; `None`: no more come."""
        while True:
            # Asked first: what came before the end is given.
            last = self._ended or self.failure is not None or not self._host.running
            with self._changed:
                if self._kept:
                    return self._kept.popleft()
                if not last:
                    self._changed.wait(_POLL_SECONDS)
            if last:
                return None

    def _require_kept(self) -> None:
        if not self.collects:
            raise PipelineError(f"the rows of '{self.name}' are not kept", hint="submit it with collect=True")

    def _check(self) -> None:
        """Raise why no more rows come, if it is not that the query or the streams have ended."""
        if self.failure is not None:
            raise self.failure
        if not self._ended:
            self._host.check()
