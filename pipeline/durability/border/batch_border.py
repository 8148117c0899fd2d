"""The border of a batch: queries are registered, withdrawn, parked and resumed there, and go on live after their past.

Source: the barriers of Chandy and Lamport 1985: what changes between two batches changes for all events that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from ....archive import Archive
from ....config import QuerySettings
from ....errors import PlanError
from ....planner import Strategy
from ...flow import (
    Backfill,
    BatchResult,
    BorderRequests,
    Dataflow,
    Judgement,
    ParkedQueries,
    Registration,
    queries_with_a_past,
)
from ...knowledge import KnowledgeVersions
from ..checkpoint import Checkpoint
from ..intake import BatchHosting
from ..replay import StateReplay
from .backfilled_queries import BackfilledQueries
from .backfilled_query import BackfilledQuery, LoggedBatches
from .query_demotion import QueryDemotion
from .query_parking import QueryParking, Rebuild, parked_already

__all__ = ["BatchBorder"]


class BatchBorder:
    """The queries of an engine that come and go between its batches.

    Args:
        checkpoint: of the engine.
        archive: of the past; `None`: there is none.
        versions: of the knowledge.
        logged: gives the batches of the log that are done.
        rebuild: gives the state after a batch from that after an earlier one, by the log.
        say: takes a line of the log.
        strategy: how the past of queries is answered; `None`: as the planner chooses.
        services: what is asked of queries; it decides which ones wait when batches are late.
        hosting: where batches are read and answered; it may refuse what is asked for.
        dataflow: gives the data flow as it stands.

    Attributes:
        demotion: of queries of low priority.
        waiting: the queries that are registered at the next border, beside those that are submitted until then.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        archive: Archive | None,
        versions: KnowledgeVersions,
        *,
        logged: LoggedBatches,
        rebuild: Rebuild,
        say: Callable[[str], None],
        strategy: Strategy | None = None,
        services: QuerySettings,
        hosting: BatchHosting,
        dataflow: Callable[[], Dataflow],
    ) -> None:
        self._hosting, self._dataflow = hosting, dataflow
        self._checkpoint, self._archive, self._versions = checkpoint, archive, versions
        self._logged, self._rebuild, self._strategy = logged, rebuild, strategy
        self.waiting: list[Registration] = []
        self._backfilled = BackfilledQueries()
        self._parking = QueryParking(checkpoint, self._backfilled, archive, versions, say)
        self.demotion = QueryDemotion(
            checkpoint, self._parking.parked, self._backfilled, services, logged=archive is not None, say=say
        )
        self._requests = BorderRequests()
        self._resumed: list[str] = []
        self._parked: dict[str, str | None] = {}

    @property
    def backfilled(self) -> frozenset[str]:
        """The queries that are answered over the past still, beside the live stream."""
        return self._backfilled.labels

    @property
    def backfill_progress(self) -> dict[str, float]:
        """How much of its past lies behind each of them, from 0 to 1; asked from any thread."""
        return self._backfilled.done

    @property
    def parked(self) -> ParkedQueries:
        """The queries that were stopped, each alone (docs/decisions/170)."""
        return self._parking.parked

    @property
    def resuming(self) -> frozenset[str]:
        """The queries that are with what they have missed, or lost, beside the live stream."""
        return frozenset(parked.label for parked in self._backfilled.resuming)

    @property
    def overdue(self) -> bool:
        """Whether something waits for a border, or for one at which it has caught up."""
        return bool(self.waiting or self._backfilled.labels or self._requests or self.demotion.any)

    @property
    def behind(self) -> bool:
        """Whether the next batch has something to do even without records, for queries."""
        missed = self._checkpoint.behind([*self.waiting, *self._requests.submitted])
        return missed or self._requests.concern_registered or self.demotion.any

    @property
    def begun_before(self) -> frozenset[str]:
        """The queries that an earlier process was at the past of, or that are parked."""
        return self._backfilled.begun_before | {parked.label for parked in self.parked}

    def first_missed(self, label: str, number: int) -> int:
        """The first batch that a query is not answered for which is withdrawn at one; see `QueryParking`."""
        return self._parking.first_missed(label, number)

    def begin(self) -> None:
        """Learn what was asked for while no engine ran."""
        self._requests.resume(self._checkpoint.resumptions.read())
        self._requests.park(self._checkpoint.parkings.read())

    def submit(self, registrations: Sequence[Registration]) -> None:
        """Register queries at the next batch border; no batch is waited for.

        They are compiled here, so that one that cannot be answered is refused here, and no border waits for its PATHs.

        Raises:
            KaicepError: one of them cannot be answered; none is registered then.
        """
        self._hosting.check_submitted(self._dataflow(), registrations)
        dataflow = self._versions.newest.dataflow()
        self._requests.submit(registrations, [dataflow.compile(registration) for registration in registrations])

    def withdraw(self, label: str, dataflow: Dataflow) -> None:
        """Stop answering a query of the data flow at the next batch border; no batch is waited for.

        Raises:
            PipelineError: another query reads its output.
        """
        registered = {other: flow.query for other, flow in dict(dataflow.flows).items()}
        waiting = {registration.label: registration.query for registration in tuple(self.waiting)}
        self._requests.withdraw(label, registered | waiting)
        self._checkpoint.parkings.remove([label])

    def park(self, label: str, by: str | None) -> None:
        """Park a registered query at the next batch border; no batch is waited for, and this survives a crash.

        Args:
            label: of the query.
            by: who asks for it, if that is known.

        Raises:
            PipelineError: it is parked already.
        """
        known = self.parked.get(label)
        stands = known is not None and known.stands and label not in self._requests.resumed
        if stands or label in self._requests.parked:
            raise parked_already(label)
        self._checkpoint.parkings.add({label: by})
        self._requests.park({label: by})

    def resume(self, label: str) -> tuple[str, ...]:
        """Let a parked query go on at the next batch border with what it has missed; no batch is waited for.

        Returns:
            The queries that go on, what it reads and what reads it among them; this survives a crash.

        Raises:
            PipelineError: it is not parked.
        """
        self._parked.pop(label, None)
        self._checkpoint.parkings.remove([label])
        if self._requests.spare(label) and self.parked.get(label) is None:
            return (label,)
        labels = tuple(parked.label for parked in self.parked.together(label))
        self._checkpoint.resumptions.add(dict.fromkeys(labels))
        self._requests.resume(labels)
        return labels

    def take_requests(self, dataflow: Dataflow, number: int) -> None:
        """Take what was asked for while the batch before was at work; queries that are withdrawn end here.

        Args:
            dataflow: at the end of the batch before.
            number: of the batch that begins.
        """
        withdrawn, submitted = self._requests.take()
        self.waiting = [r for r in self.waiting if r.label not in withdrawn] + submitted
        for label in withdrawn:
            self._backfilled.give_up(label)
        gone = [label for label in reversed(tuple(dataflow.flows)) if label in withdrawn]
        for label in gone:
            dataflow.withdraw(label, self._parking.first_missed(label, number))  # a reader before what it reads
            self._backfilled.leave_at(label, number)
        for label in withdrawn:
            self._checkpoint.delivery.withdraw(label)
            self._parking.forget(label)
        if gone:
            self.register_durably(dataflow)

    def cross(self, dataflow: Dataflow, number: int, judgement: Judgement, *, patient: bool) -> None:
        """Let queries come and go before a batch.

        Args:
            dataflow: at the end of the batch before.
            number: of the batch.
            judgement: by the knowledge in force.
            patient: wait for queries that are with their past still.
        """
        if not patient and not self.waiting:  # else nobody knows yet who is needed
            self.demotion.demote(dataflow, number)
        begun = self._register_waiting(dataflow, number)
        kept = dataflow.queries.withdrawn.retain(dataflow.queries.contexts)
        begun += self._resume(dataflow, number, self.demotion.returning(dataflow, patient=patient))
        self._begin_pasts(dataflow, begun, number)  # of who reads what comes back, too
        if kept:
            self.register_durably(dataflow)
        self._parking.park_with_past(dataflow, number)
        hold = self._checkpoint.delivery.hold
        if self._backfilled.take_over(dataflow, judgement, hold, patient=patient):
            self.register_durably(dataflow)
        self._park(dataflow, number)
        self._parking.park_with_past(dataflow, number)
        self._gather(dataflow, number - 1)
        self._parking.settle()

    def _park(self, dataflow: Dataflow, number: int) -> None:
        """Park what somebody wants parked, and what reads a parked query."""
        self._parked |= self._requests.take_parked()
        self._parking.fail_asked(dataflow, self._parked)
        self._parking.withhold_readers(dataflow)
        if dataflow.queries.failed:
            self._checkpoint.leave_log()
        self._parking.park_failed(dataflow, number, ())

    def _gather(self, dataflow: Dataflow, last: int) -> None:
        """Make states anew that lie in several places and are needed in one; the stream waits for them."""
        archive = self._archive
        if archive is None:
            return
        for label in dataflow.scattered:
            flow = dataflow.rehearsal([label], {}, last)
            replay = StateReplay(flow, archive, self._versions, dataflow.moments, last)
            for batch in replay.batches():
                _ = flow.process(batch).matches  # the sinks have them
            dataflow.adopt(label, flow)

    def hand_over(self) -> None:
        """Let the rows that are ready of queries with a past come with the batch at work."""
        self._backfilled.hand_over(self._checkpoint.delivery.hold)

    def take_calls(self) -> list[pa.Table]:
        """What rules with a past, or those that were parked, call with the batch at work."""
        return self._backfilled.take_calls()

    def park_failed(self, dataflow: Dataflow, number: int, results: Sequence[BatchResult]) -> None:
        """Park the queries that have failed in a batch; see `QueryParking.park_failed`."""
        self._parking.park_failed(dataflow, number, results)

    def settle(self) -> None:
        """Forget what queries that go on since the last border needed for it; the batch is durable."""
        needed = {parked.batch - 1 for parked in self.parked}
        held = {parked.batch - 1 for parked in self.parked if parked.demoted}
        self._checkpoint.settle_parked(needed, self._resumed, tuple(self._parked), held)
        self._resumed, self._parked = [], {}

    def snapshot(self, dataflow: Dataflow) -> dict[str, bytes]:
        """What another process needs of the queries that are not where the stream is."""
        return self._backfilled.snapshot(dataflow) | self._parking.snapshot()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Learn from a snapshot which queries were not where the stream is."""
        self._backfilled.restore(state)
        self.parked.restore(state)

    def recover(self, dataflow: Dataflow, labels: Sequence[str], last: int, moments: str, *, missed: int) -> None:
        """Let queries whose state was lost go on beside the stream; see `QueryParking.recover`."""
        self._parking.recover(dataflow, labels, last, moments, missed=missed)

    def register_durably(self, dataflow: Dataflow) -> None:
        """Queries that are with their past still are in the snapshots, which know how far their rows are."""
        backfilled = self._backfilled.labels
        live = [flow.registration for label, flow in dataflow.flows.items() if label not in backfilled]
        self._checkpoint.register([*live, *dataflow.queries.withdrawn])

    def close(self) -> None:
        """Give up the queries that are with their past."""
        self._backfilled.close()

    def _register_waiting(self, dataflow: Dataflow, number: int) -> list[tuple[Registration, int]]:
        """Register the queries that wait for a batch border, or know them again as parked; none is lost on the way.

        Returns:
            Those that are registered, and how many rows of each were handed over.
        """
        begin: list[tuple[Registration, int]] = []
        for registration in self.waiting:
            parked = self.parked.known(registration)
            if parked is not None:
                self._parking.register(dataflow, registration, parked)
            else:
                known = self._backfilled.interrupted(registration)
                now, handed = known or (registration.now or dataflow.now(registration.query), 0)
                registered = Registration(registration.query, registration.label, now)
                if self._register(dataflow, registered, number, handed):
                    begin.append((registered, handed))
        self.waiting = []
        return begin

    def _resume(self, dataflow: Dataflow, number: int, returning: Sequence[str]) -> list[tuple[Registration, int]]:
        """Let queries go on that were resumed, by somebody now or in an earlier process that has not finished it.

        Args:
            dataflow: where they are given nothing.
            number: of the batch.
            returning: those that were demoted and come back.

        Returns:
            Those that are registered once more, and how many rows of each were handed over.
        """
        interrupted = [parked.label for parked in self.parked if parked.resuming]
        self._resumed += self._requests.take_resumed()
        begin: list[tuple[Registration, int]] = []
        for label in dict.fromkeys([*self._resumed, *returning, *interrupted]):
            again = self._parking.resume(dataflow, label, self._logged, self._rebuild)
            if again is not None:
                registration, handed = again
                now = registration.now or dataflow.now(registration.query)
                registered = Registration(registration.query, label, now)
                if self._register(dataflow, registered, number, handed):
                    begin.append((registered, handed))
        return begin

    def _register(self, dataflow: Dataflow, registration: Registration, number: int, handed: int) -> bool:
        """Register a query, without its past; one that cannot be registered is parked. Tell whether it could."""
        compiled = self._requests.take_compiled(registration.label)
        known = dataflow.queries.known_before(registration.query, dataflow.watermarks)
        try:
            dataflow.register(registration, compiled)
        except Exception as error:  # noqa: BLE001 - it is this query's, and not the batch's
            self._parking.park_unregistered(dataflow, registration, number, error, handed)
            return False
        past = queries_with_a_past(dataflow, [registration.label])
        dataflow.queries.note_since(registration.label, None if past else known)
        self._backfilled.join_at(dataflow, registration.label, number)
        return True

    def _begin_pasts(self, dataflow: Dataflow, registered: Sequence[tuple[Registration, int]], number: int) -> None:
        """What WITHIN asks of the time before is answered from the archive, beside the stream.

        When all of a border are registered: who derives contexts decides about the past of those before it, too. A
        query whose past cannot be begun is parked, and so is what reads it.

        Args:
            dataflow: where they are registered.
            registered: the queries of this border, and how many rows of each were handed over.
            number: of the batch.
        """
        waiting = list(registered)
        while begin := [one for one in waiting if self._has_past(dataflow, one[0].label)]:
            waiting = [one for one in waiting if one not in begin]
            for registration, handed in begin:
                if registration.label not in dataflow.flows:
                    continue
                try:
                    self._begin_past(dataflow, registration.label, number, handed)
                except Exception as error:  # noqa: BLE001 - it is this query's, and not the batch's
                    readers = [o for o in registered if o[0].label in _reading(dataflow, registration.label)]
                    for other, rows in reversed(readers):
                        self._backfilled.give_up(other.label)
                        dataflow.remove(other.label)
                        self._parking.park_unregistered(dataflow, other, number, error, rows)
        if registered:
            self.register_durably(dataflow)

    def _has_past(self, dataflow: Dataflow, label: str) -> bool:
        """Whether a query begins with its past, since it has one or reads what has."""
        if label not in dataflow.flows:
            return False
        return self._backfilled.are_read_by(label, dataflow) or bool(queries_with_a_past(dataflow, [label]))

    def _begin_past(self, dataflow: Dataflow, label: str, number: int, handed: int) -> None:
        """Let a query that has a past begin with it, beside the stream."""
        if self._archive is None:
            raise PlanError(
                f"'{label}' begins in the past, of which there is no archive",
                hint="set archive.enabled, or begin WITHIN at now",
            )
        backfilled = self._backfill(dataflow, self._archive, label, number - 1, handed)
        dataflow.suspend(label)
        self._backfilled.add(backfilled)

    def _backfill(self, dataflow: Dataflow, archive: Archive, label: str, last: int, handed: int) -> BackfilledQuery:
        """Start on a query's past, by the knowledge of now.

        The store has each event in the triples that the knowledge of its time made of it: where that is other ones than
        now, only the log can be asked.
        """
        first = archive.log.first
        alike = first is None or self._versions.store.shaped_alike(since=first.batch)
        strategy = self._strategy if alike else Strategy.REPLAY
        upto = self._checkpoint.position(last)
        backfill = Backfill(dataflow, [label], archive, upto=upto, strategy=strategy)
        return BackfilledQuery(label, backfill, self._logged, last=last, handed=handed)


def _reading(dataflow: Dataflow, label: str) -> list[str]:
    """A query and those that read its output, directly or not."""
    found = [label]
    for other, flow in dataflow.flows.items():
        if any(flow.streams.intersection(dataflow.flows[one].query.streams) for one in found) and other not in found:
            found.append(other)
    return found
