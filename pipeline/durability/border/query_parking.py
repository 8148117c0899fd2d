"""Parks queries that fail, each alone, or that somebody wants parked, and lets them go on with what they have missed.

Whoever parks a query lets it fail at a batch border: all else is the same (docs/decisions/170, 366).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ....archive import Archive
from ....config import Settings
from ....errors import KaicepError, PipelineError
from ...flow import (
    BatchResult,
    Dataflow,
    ParkedQueries,
    ParkedQuery,
    Registration,
    failure_of,
    is_state_of,
    parking_of,
    withhold,
)
from ...knowledge import KnowledgeVersions
from ..checkpoint import Checkpoint
from ..flow_state import MOMENTS, moments_of
from ..journal import BatchJournal
from ..query_registry import RequestedQueries
from ..replay import StateReplay
from .backfilled_queries import BackfilledQueries
from .backfilled_query import BackfilledQuery, LoggedBatches, ParkedPast

Rebuild = Callable[[int, int, Mapping[str, bytes]], Mapping[str, bytes]]

__all__ = [
    "QueryParking",
    "forget_parking",
    "park_at_start",
    "parked_already",
    "parked_at_start",
    "parked_at_stop",
    "resume_at_start",
]


class QueryParking:
    """The parked queries of an engine. They stay in its data flow, where they are given nothing.

    A query that was live goes on from the state before the batch that it failed in, through the batches that the log
    has since. One that was with its past still begins with that again.

    Args:
        checkpoint: of the engine.
        backfilled: the queries that are not where the stream is.
        archive: that has what was missed; `None`: nobody has.
        versions: of the knowledge.
        say: takes a line of the log.

    Attributes:
        parked: what stopped each, by label.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        backfilled: BackfilledQueries,
        archive: Archive | None,
        versions: KnowledgeVersions,
        say: Callable[[str], None],
    ) -> None:
        self._checkpoint, self._backfilled, self._archive, self._say = checkpoint, backfilled, archive, say
        self._versions = versions
        self._unregistered: dict[str, Registration] = {}
        self.parked = ParkedQueries()

    def fail_asked(self, dataflow: Dataflow, asked: Mapping[str, str | None]) -> None:
        """Let queries fail that somebody wants parked; those that have ended or are parked are left.

        Args:
            dataflow: at a batch border.
            asked: by label, who wants it, if that is known.
        """
        for label, by in asked.items():
            flow, failure = dataflow.flows.get(label), parking_of(label, by)
            if flow is None or flow.ended:
                continue
            if label in self._backfilled.labels:
                self._backfilled.fail(label, failure)
                continue
            flow.fail(failure)
            known = self.parked.get(label)
            if known is not None and label in dataflow.suspended:  # it was demoted: its state is kept already
                self.parked.add(replace(known, failure=failure, demoted=False))
                self._say(f"queries: {label} is parked: {failure}")

    def withhold_readers(self, dataflow: Dataflow) -> None:
        """Let queries fail that read a parked one, or are in its contexts: in a batch nobody feeds them."""
        left = [flow for label, flow in dataflow.flows.items() if label not in dataflow.suspended]
        while withhold(dataflow.queries, left):
            left = [flow for flow in left if flow.failure is None]

    def park_failed(self, dataflow: Dataflow, number: int, results: Sequence[BatchResult]) -> None:
        """Park the queries that have failed in a batch.

        Args:
            dataflow: has processed it.
            number: of the batch.
            results: what it brought, piece by piece.
        """
        for label, flow in dataflow.flows.items():
            if flow.failure is None or label in dataflow.suspended:
                continue
            handed = sum(result.counts.get(label, 0) for result in results)
            begun = self._backfilled.taken_over.get(label)  # the state before the batch is that of its past
            if begun is None:
                self._checkpoint.keep_for_parked(number - 1)
                self._park(dataflow, flow.registration, number, flow.failure, live=True, handed=handed)
            else:
                self._park_backfilled(dataflow, begun, number, flow.failure, begun.handed + handed)
            dataflow.suspend(label)

    def park_with_past(self, dataflow: Dataflow, number: int) -> None:
        """Park the queries whose past cannot be answered; what was handed over of it is not handed over again."""
        for failed in self._backfilled.failed:
            for rows in failed.take():
                self._checkpoint.delivery.hold(failed.label, rows)
            self._backfilled.give_up(failed.label)
            if failed.failure is not None:
                dataflow.flows[failed.label].fail(failed.failure)
                self._park_backfilled(dataflow, failed, number, failed.failure, failed.handed)

    def park_unregistered(
        self, dataflow: Dataflow, registration: Registration, number: int, error: Exception, handed: int
    ) -> None:
        """Park a query that cannot even be registered."""
        self._unregistered[registration.label] = registration
        failure = failure_of(registration.label, error)
        self._park(dataflow, registration, number, failure, live=False, handed=handed)

    def register(self, dataflow: Dataflow, registration: Registration, parked: ParkedQuery) -> None:
        """Know a query again that is parked; it is given nothing."""
        known = Registration(registration.query, registration.label, parked.now)
        try:
            dataflow.register(known)
        except Exception:  # noqa: BLE001 - whatever it is, the query is parked already, and for a reason that is known
            self._unregistered[known.label] = known
            return
        dataflow.suspend(known.label)
        if not parked.demoted:
            dataflow.flows[known.label].fail(parked.failure)

    def first_missed(self, label: str, number: int) -> int:
        """The first batch that a query is not answered for which is withdrawn at one: it may be parked since before.

        One that was resumed, or whose state was lost, is answered as if it had never been away.
        """
        parked = self.parked.get(label)
        return number if parked is None or parked.resuming else parked.batch

    def forget(self, label: str) -> None:
        """Know no more of a query, which is withdrawn."""
        self.parked.forget(label)
        self._unregistered.pop(label, None)

    def resume(
        self, dataflow: Dataflow, label: str, logged: LoggedBatches, rebuild: Rebuild
    ) -> tuple[Registration, int] | None:
        """Let a query go on with what it has missed.

        Args:
            dataflow: where it is parked.
            label: of the query.
            logged: the batches of the log.
            rebuild: gives the state after a batch from that after an earlier one, by the log.

        Returns:
            What is to be registered once more, and how many rows of its past are not to be handed over again; `None`:
            it goes on from the state that it was parked with, or is not parked.
        """
        parked = self.parked.get(label)
        if parked is None or label in self._backfilled.labels:
            return None
        if label in self._unregistered:
            self.parked.forget(label)
            return self._unregistered.pop(label), parked.handed
        upstream = [
            known for other in dataflow.queries.lineage.closed([label]) if (known := self.parked.get(other)) is not None
        ]
        registration = dataflow.flows[label].registration
        if not all(known.live for known in upstream):
            self.parked.forget(label)
            return registration, parked.handed
        earliest = min(upstream, key=lambda known: known.batch)
        last = earliest.batch - 1
        past = self._past(dataflow, parked, earliest, rebuild) if self._holds(last + 1) else None
        if past is None:
            self._say(
                f"queries: {label} begins anew: the archive has not all that it has missed since batch {last + 1}"
            )
            self.parked.forget(label)
            return Registration(registration.query, label), 0
        dataflow.flows[label].failure = None
        self._backfilled.add(BackfilledQuery(label, past, logged, last=last, handed=parked.handed))
        self.parked.add(replace(parked, resuming=True))
        return None

    def recover(self, dataflow: Dataflow, labels: Sequence[str], last: int, moments: str, *, missed: int) -> None:
        """Let queries whose state was lost, and needs much of the log, go on beside the stream, as if resumed.

        Args:
            dataflow: where they are registered.
            labels: theirs.
            last: the last batch whose rows they have reported.
            moments: where the streams were then.
            missed: the last batch that was done; rows of those behind `last` were missed.
        """
        for label in labels:
            registration, time = dataflow.flows[label].registration, dataflow.now(dataflow.flows[label].query)
            lost = PipelineError(
                f"the state of '{label}' was lost", hint="it is made of the log again, and goes on then"
            )
            normal, now = registration.query.normal, registration.now
            known = ParkedQuery(label, last + 1, lost, normal, now, time, resuming=True, moments=moments)
            self.parked.add(replace(known, missed=missed))

    def _past(
        self, dataflow: Dataflow, parked: ParkedQuery, earliest: ParkedQuery, rebuild: Rebuild
    ) -> ParkedPast | None:
        """What a query goes on from: its state before it was parked, or what of the log makes that; `None`: nothing."""
        label, last = parked.label, earliest.batch - 1
        kept = (0, {}) if last == 0 else self._checkpoint.state_of_parked(last)
        moments = None if earliest.moments is None else moments_of({MOMENTS: earliest.moments.encode()})
        if kept is not None and self._holds(kept[0] + 1) and (moments is None or is_state_of(label, kept[1])):
            state = kept[1] if kept[0] == last else rebuild(last, *kept)
            return ParkedPast(dataflow.rehearsal([label], state, last), parked)
        if moments is None or self._archive is None:
            return None
        copy = dataflow.rehearsal([label], {}, last)
        replay = StateReplay(copy, self._archive, self._versions, moments, last)
        if not replay.whole:
            self._say(
                f"recovery: {label} has of the time before batch {last + 1} only what the log still has "
                f"(log_age, log_size under [archive])"
            )
        return ParkedPast(copy, parked, replay)

    def settle(self) -> None:
        """Forget those that have caught up since they were resumed."""
        for parked in self.parked:
            if parked.resuming and parked.label not in self._backfilled.labels:
                self.parked.forget(parked.label)

    def snapshot(self) -> dict[str, bytes]:
        """By name, what a later process has to know."""
        for resuming in self._backfilled.resuming:
            self.parked.add(resuming)
        return self.parked.snapshot()

    def _park(
        self,
        dataflow: Dataflow,
        registration: Registration,
        number: int,
        failure: KaicepError,
        *,
        live: bool,
        handed: int,
    ) -> None:
        label, query = registration.label, registration.query
        cause, time = dataflow.queries.cause_of(query), dataflow.now(query)
        now, moments = registration.now, self._checkpoint.delivered.get(MOMENTS)
        known = ParkedQuery(label, number, failure, query.normal, now, time, cause, handed, live)
        self.parked.add(known if moments is None else replace(known, moments=moments.decode()))
        self._say(f"queries: {label} is parked: {failure}")

    def _park_backfilled(
        self, dataflow: Dataflow, failed: BackfilledQuery, number: int, failure: KaicepError, handed: int
    ) -> None:
        if failed.parked is None:
            registration = dataflow.flows[failed.label].registration
            self._park(dataflow, registration, number, failure, live=False, handed=handed)
        else:
            self.parked.add(replace(failed.parked, failure=failure, handed=handed, resuming=False, demoted=False))
            self._say(f"queries: {failed.label} is parked again: {failure}")

    def _holds(self, batch: int) -> bool:
        """Whether the log has all events from a batch on."""
        if self._archive is None:
            return False
        if not self._archive.forgets:
            return True
        first = self._archive.log.first
        return first is not None and first.batch <= batch


def parked_at_stop(settings: Settings) -> ParkedQueries:
    """The queries that were parked when a project's last engine stopped; those resumed since then are `resuming`."""
    found = ParkedQueries()
    _, parts = BatchJournal(_queries_of(settings) / "batches.jsonl", settings.root).delivered() or (0, {})
    found.restore(parts)
    for label in _resumptions_of(settings).read():
        parked = found.get(label)
        if parked is not None:
            found.add(replace(parked, resuming=True))
    return found


def parked_at_start(settings: Settings) -> dict[str, KaicepError]:
    """By label, the queries that somebody has parked since a project's last engine stopped."""
    return {label: parking_of(label, by) for label, by in _parkings_of(settings).read().items()}


def park_at_start(settings: Settings, label: str, by: str | None) -> None:
    """Park a registered query when an engine starts.

    Args:
        settings: of the project.
        label: of the query.
        by: who asks for it, if that is known.

    Raises:
        PipelineError: it is parked already.
    """
    parkings, known = _parkings_of(settings), parked_at_stop(settings).get(label)
    if label in parkings.read() or (known is not None and known.stands):
        raise parked_already(label)
    parkings.add({label: by})


def parked_already(label: str) -> PipelineError:
    """What is told to whoever parks a parked query."""
    return PipelineError(f"'{label}' is parked already", hint=f"kaicep resume {label} lets it go on")


def forget_parking(settings: Settings, label: str) -> None:
    """Do not park a query when an engine starts: it is withdrawn."""
    _parkings_of(settings).remove([label])


def resume_at_start(settings: Settings, label: str) -> tuple[str, ...]:
    """Let a parked query go on when an engine starts.

    Returns:
        The queries that go on.

    Raises:
        PipelineError: it is not parked.
    """
    parked, parkings = parked_at_stop(settings), _parkings_of(settings)
    if label in parkings.read():
        parkings.remove([label])
        if parked.get(label) is None:  # no engine knows of it yet
            return (label,)
    labels = tuple(known.label for known in parked.together(label))
    _resumptions_of(settings).add(dict.fromkeys(labels))
    return labels


def _resumptions_of(settings: Settings) -> RequestedQueries:
    return RequestedQueries(_queries_of(settings) / "resumptions.json")


def _parkings_of(settings: Settings) -> RequestedQueries:
    return RequestedQueries(_queries_of(settings) / "parkings.json")


def _queries_of(settings: Settings) -> Path:
    return settings.path(settings.engine.state) / "queries"
