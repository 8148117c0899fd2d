"""Recovery: the state after a batch from its snapshot, or from an older one and the log (docs/recovery.md).

Source: ARIES (Mohan et al. 1992): the log repeats history from the last whole checkpoint.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from ...archive import Archive
from ...errors import KaicepError
from ..catalog import Catalog
from ..flow import Dataflow, Registration, WithdrawnQueries
from ..knowledge import KnowledgeVersions
from .border import BatchBorder
from .checkpoint import Checkpoint
from .flow_state import MOMENTS, RestoredState, moments_of
from .intake import BatchHosting
from .progress import PROGRESS, Progress
from .replay import StateReplay, is_bounded, logged_batches
from .withdrawn_notes import KnownChanges, withdrawn_queries

__all__ = ["RecoveredState", "StateRecovery"]


@dataclass(frozen=True, slots=True)
class RecoveredState:
    """How a data flow came to the end of a batch.

    Attributes:
        dataflow: there.
        progress: the counts then.
        unknown: the queries that were not registered then.
        replayed: whether by the log, so that no snapshot has it.
    """

    dataflow: Dataflow
    progress: Progress
    unknown: list[Registration]
    replayed: bool


class StateRecovery:
    """Brings a data flow to the end of a batch that was done.

    Args:
        checkpoint: of the engine.
        archive: whose log leads on from older snapshots; `None`: nothing does.
        versions: of the knowledge.
        border: of the engine's batches.
        say: takes a line of the log.
        hosting: where batches are read and answered.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        archive: Archive | None,
        versions: KnowledgeVersions,
        border: BatchBorder,
        *,
        say: Callable[[str], None],
        hosting: BatchHosting,
    ) -> None:
        self._checkpoint, self._archive, self._versions = checkpoint, archive, versions
        self._border, self._say, self._hosting = border, say, hosting

    def restore(self, number: int, queries: Sequence[Registration], project: Catalog) -> RecoveredState:
        """Go back to the state after a batch: by its snapshot, else by replaying the archive's log.

        Args:
            number: of the batch.
            queries: those that may have been registered then.
            project: with the knowledge in force.
        """
        state = self._hosting.restored(self._checkpoint.restore(number), number, self._archive)
        self._border.restore(state.delivered)
        changes = KnownChanges(state.delivered)
        withdrawn = self._withdrawn(number, queries, changes, project)

        def knowing() -> Dataflow:
            dataflow = self._hosting.recovering(project, state)
            dataflow.queries.withdrawn, dataflow.queries.changed_until = withdrawn, dict(changes.until)
            dataflow.queries.changed_since = withdrawn.changed_since(changes.since)
            return dataflow

        dataflow = knowing()
        if state.batch == number:
            dataflow.restore(state.operators, queries)
            progress = Progress.from_bytes(state.operators[PROGRESS]) if number else Progress()
            recovered = RecoveredState(dataflow, progress, [], replayed=False)
        else:
            recovered = self._replay_log(number, queries, state, dataflow, knowing)
        self._checkpoint.delivery.restore(state.delivered)
        flow = self._hosting.recovered(recovered.dataflow, number)
        return replace(recovered, dataflow=flow, unknown=[q for q in queries if q.label not in flow.flows])

    def _withdrawn(
        self, number: int, queries: Sequence[Registration], changes: KnownChanges, project: Catalog
    ) -> WithdrawnQueries:
        """The queries that were withdrawn, or that a project has lost since, whose changes of contexts still count."""
        notes, apart = self._checkpoint.noted, self._border.begun_before
        known = [*self._checkpoint.registered(queries), *(query for query in queries if query.label in apart)]
        return withdrawn_queries(
            changes.withdrawn if notes is None else notes,
            queries,
            queries if notes is None else known,
            changes,
            batch_of=lambda label: self._border.first_missed(label, number + 1),
            project=project,
            say=self._say,
        )

    def _replay_log(
        self,
        number: int,
        queries: Sequence[Registration],
        state: RestoredState,
        dataflow: Dataflow,
        empty: Callable[[], Dataflow],
    ) -> RecoveredState:
        """Bring the operators to the end of a batch; the rows that the sinks have already are left out."""
        # One that was with its past begins with it again: the log does not say how many of its rows were handed over.
        apart = self._border.begun_before
        known = [r for r in self._checkpoint.registered(queries) if r.label not in apart]
        others = [q for q in queries if q.label not in apart]
        lost = self._checkpoint.lost_registrations
        # A snapshot that lacks a registered query will not do: the query may have been with its past then. Where it is
        # lost which queries are registered, the snapshot tells.
        there = dataflow.queries.withdrawn.among(others if lost else known, state.batch, restored=True)
        if state.batch and (not dataflow.restore(state.operators, there) or lost):
            after, progress = state.batch, Progress.from_bytes(state.operators[PROGRESS])
            self._say(f"recovery: the state after batch {number} is rebuilt from that after batch {after}, by the log")
        else:
            after, progress, dataflow = self._recalled(number, state, known, empty)
        for done, batch in logged_batches(self._archive, self._versions, number, after):
            began = time.perf_counter()
            dataflow.cross(done)
            result = dataflow.process(batch)
            counts: dict[str, int] = {}
            for label, rows, *_ in result.rows():
                if dataflow.flows[label].registration.withdrawal is not None:
                    continue
                counts[label] = counts.get(label, 0) + rows.num_rows
                if done > state.reported:
                    self._checkpoint.delivery.hold(label, rows, recovered=True)
            if done > state.reported:
                self._checkpoint.keep_calls(done, result.calls)
            seconds = time.perf_counter() - began
            progress = progress.after(
                result.streams, counts, {}, seconds, dataflow.queries.subqueries, done=result.done
            )
        dataflow.queries.note_changes(dataflow.watermarks)
        dataflow.queries.withdrawn.answered(dataflow.queries.changed_until)
        dataflow.cross(number + 1)
        if state.reported == number and PROGRESS in state.delivered:
            progress = Progress.from_bytes(state.delivered[PROGRESS])  # the log has no records that were none
        return RecoveredState(dataflow, progress, [], replayed=True)

    def _recalled(
        self, number: int, state: RestoredState, known: Sequence[Registration], empty: Callable[[], Dataflow]
    ) -> tuple[int, Progress, Dataflow]:
        """Bring queries that have seen nothing to the end of the last batch that was reported, by what they need.

        Those that need more than a window of the log do it beside the stream, which need not wait for them.

        Returns:
            That batch, the counts then, and the data flow. Where it is not known where the streams were, no batch: the
            log is replayed from its beginning.
        """
        last, moments = state.reported, moments_of(state.delivered)
        if moments is None or last > number or self._archive is None:
            self._say(f"recovery: the state after batch {number} is rebuilt by the log, from its beginning")
            dataflow = empty()
            return 0, Progress(), _registered(dataflow.queries.withdrawn.among(known, 0, restored=False), dataflow)
        dataflow = _registered(known, empty())
        replay = StateReplay(dataflow, self._archive, self._versions, moments, last)
        replay.recall()
        beside = [label for label in dataflow.flows if not is_bounded(dataflow, label)]
        self._border.recover(dataflow, beside, last, state.delivered[MOMENTS].decode(), missed=number)
        for label in reversed(beside):
            dataflow.remove(label)
        if last == number:
            dataflow.divide()
        self._say(_told(number, replay, beside))
        for batch in replay.batches():
            _ = dataflow.process(batch).matches  # the sinks have them
        return last, Progress.from_bytes(state.delivered[PROGRESS]), dataflow

    def rebuilt(
        self,
        project: Catalog,
        registrations: Sequence[Registration],
        number: int,
        after: int,
        parts: Mapping[str, bytes],
        *,
        since: Mapping[str, datetime],
    ) -> Mapping[str, bytes]:
        """The operators' state after a batch from that after an earlier one, by the log.

        Args:
            project: with the knowledge in force.
            registrations: the queries, those among them that were withdrawn since.
            number: of the batch.
            after: the earlier one.
            parts: the state after that.
            since: by label, from when on the changes of deriving queries count.
        """
        dataflow = project.dataflow(isolated=True)
        dataflow.queries.changed_since = dict(since)
        dataflow.restore(parts, registrations)
        for done, batch in logged_batches(self._archive, self._versions, number, after):
            dataflow.cross(done)
            dataflow.process(batch)
        return dataflow.snapshot()


def _registered(queries: Sequence[Registration], dataflow: Dataflow) -> Dataflow:
    """A data flow with queries, but those that cannot be registered."""
    for registration in queries:
        with suppress(KaicepError):  # it is found out again, and told, where it is registered
            dataflow.register(registration)
    return dataflow


def _told(number: int, replay: StateReplay, beside: Sequence[str]) -> str:
    """What a recovery does, for people."""
    of = "" if replay.start is None else f" by what the log has from {replay.start:%Y-%m-%dT%H:%M:%SZ} on"
    lacking = "" if replay.whole else "; it goes no further back (log_age, log_size under [archive])"
    others = f"; {', '.join(beside)} need more of it, and catch up beside the stream" if beside else ""
    return f"recovery: the state after batch {number} is rebuilt{of}{lacking}{others}"
