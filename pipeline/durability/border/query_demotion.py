"""Demotion: queries of low priority wait while the engine is behind, and come back with what they have missed.

Nothing is lost: the log has their events, and a query that comes back goes on from the state that it was demoted with,
as one does that was parked (docs/decisions/250).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....config import QuerySettings
from ....errors import PipelineError
from ...flow import Dataflow, ParkedQueries, ParkedQuery
from ..checkpoint import Checkpoint
from ..flow_state import MOMENTS
from .backfilled_queries import BackfilledQueries
from .lateness import Lateness, Relief

__all__ = ["QueryDemotion"]


class QueryDemotion:
    """Which queries of an engine wait; they are `ParkedQueries` that have not failed.

    Args:
        checkpoint: of the engine.
        parked: its queries that are given nothing.
        backfilled: those that are not where the stream is.
        services: what is asked of queries.
        logged: whether a log has what they miss; nothing waits otherwise.
        say: takes a line of the log.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        parked: ParkedQueries,
        backfilled: BackfilledQueries,
        services: QuerySettings,
        *,
        logged: bool,
        say: Callable[[str], None],
    ) -> None:
        self._checkpoint, self._parked, self._backfilled, self._say = checkpoint, parked, backfilled, say
        self._lateness, self._logged = Lateness(services), logged
        self._sent: list[str] = []
        self._called: list[str] = []

    @property
    def waiting(self) -> tuple[str, ...]:
        """The queries that wait, in the order in which they were demoted; those that come back are none."""
        return tuple(known.label for known in self._parked if known.demoted and not known.resuming)

    @property
    def any(self) -> bool:
        """Whether a query is to wait, or waits, or is on its way back."""
        return bool(self._sent) or any(known.demoted for known in self._parked)

    def note(self, dataflow: Dataflow, seconds: float) -> None:
        """Note how late a batch was, and decide what the next border does about it.

        Args:
            dataflow: has done it.
            seconds: from when its first record came until its rows were durable.
        """
        answered = [label for label in dataflow.flows if label not in dataflow.suspended]
        relief = self._lateness.note(seconds, answered)
        returning = self._backfilled.returning
        if relief is Relief.WAIT:
            self._backfilled.pause(self._lateness.below(returning), still=True)
            label = self._lateness.next_to_wait(self._free(dataflow))
            self._sent += [] if label is None else [label]
        elif relief is Relief.RETURN:
            self._backfilled.pause(returning, still=False)
            label = None if returning else self._lateness.next_to_return(self.waiting)
            self._called += [] if label is None else [label]

    def send(self, label: str) -> None:
        """Let a query wait from the next border on, if nobody needs it."""
        self._sent.append(label)

    def call(self, label: str) -> None:
        """Let a query come back at the next border, if it waits."""
        self._called.append(label)

    def demote(self, dataflow: Dataflow, number: int) -> None:
        """Let queries wait from a batch on.

        Args:
            dataflow: at the end of the batch before.
            number: of the batch.
        """
        sent, self._sent = self._sent, []
        free = set(self._free(dataflow)) if sent and self._logged else set()
        for label in dict.fromkeys(sent):
            if label in free:
                self._demote(dataflow, label, number)

    def returning(self, dataflow: Dataflow, *, patient: bool) -> list[str]:
        """The queries that come back at a border, each after what it needs, which comes back with it.

        Those that a query reads which has just been submitted come back, since nobody would feed it.

        Args:
            dataflow: where they are suspended.
            patient: nobody waits for the rows of others: all of them do.
        """
        called, self._called = self._called, []
        waiting = self.waiting
        if not waiting:
            return []
        answered = [label for label in dataflow.flows if label not in dataflow.suspended]
        needed = {*called, *dataflow.queries.lineage.closed(answered)}
        wanted = [label for label in waiting if label in dataflow.flows and (patient or label in needed)]
        labels = [label for label in dataflow.queries.lineage.closed(wanted) if label in waiting]
        for label in labels:
            self._say(f"queries: {label} comes back: what it has missed is answered from the archive")
        return labels

    def _demote(self, dataflow: Dataflow, label: str, number: int) -> None:
        self._checkpoint.keep_for_parked(number - 1)
        registration = dataflow.flows[label].registration
        query, moments = registration.query, self._checkpoint.delivered.get(MOMENTS)
        behind = PipelineError(f"'{label}' is behind", hint="it comes back by itself; kaicep resume lets it now")
        known = ParkedQuery(
            label,
            number,
            behind,
            query.normal,
            registration.now,
            dataflow.now(query),
            moments=None if moments is None else moments.decode(),
            demoted=True,
        )
        self._parked.add(known)
        dataflow.suspend(label)
        self._checkpoint.leave_log()
        self._say(f"queries: {label} is {known}: queries of a greater priority miss their latency")

    def _free(self, dataflow: Dataflow) -> Iterator[str]:
        """The queries that may wait: they are answered, and nobody needs them, or will when it has caught up."""
        needed = set(dataflow.queries.lineage.closed(list(self._backfilled.labels & dataflow.flows.keys())))
        for label, flow in dataflow.flows.items():
            if label in dataflow.suspended or label in needed or flow.failure is not None or flow.ended:
                continue
            if not dataflow.queries.lineage.serves(flow):
                yield label
