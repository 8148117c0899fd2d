"""Recovery: the state after a batch from its snapshot, or from an older one and the log (docs/recovery.md).

Source: ARIES (Mohan et al. 1992): the log repeats history from the last whole checkpoint.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ...archive import Archive
from ...errors import KaicepError
from ..catalog import Catalog
from ..flow import Dataflow, Registration
from ..knowledge import KnowledgeVersions
from .border import BatchBorder
from .checkpoint import Checkpoint
from .flow_state import MOMENTS, RestoredState, moments_of
from .progress import PROGRESS, Progress
from .replay import StateReplay, is_bounded, logged_batches

__all__ = ["RecoveredState", "StateRecovery"]


@dataclass(frozen=True, slots=True)
class RecoveredState:
    """How a data flow came to the end of a batch.

    Attributes:
        progress: the counts then.
        unknown: the queries that were not registered then.
        replayed: whether by the log, so that no snapshot has it.
    """

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
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        archive: Archive | None,
        versions: KnowledgeVersions,
        border: BatchBorder,
        say: Callable[[str], None],
    ) -> None:
        self._checkpoint, self._archive, self._versions = checkpoint, archive, versions
        self._border, self._say = border, say

    def restore(self, number: int, queries: Sequence[Registration], empty: Callable[[], Dataflow]) -> RecoveredState:
        """Go back to the state after a batch: by its snapshot, else by replaying the archive's log.

        Args:
            number: of the batch.
            queries: those that may have been registered then.
            empty: makes the data flow, without any; asked again where the first one will not do.
        """
        dataflow = empty()
        state = self._checkpoint.restore(number)
        self._border.restore(state.delivered)
        if state.batch == number:
            unknown = dataflow.restore(state.operators, queries)
            progress = Progress.from_bytes(state.operators[PROGRESS]) if number else Progress()
            recovered = RecoveredState(progress, unknown, replayed=False)
        else:
            recovered = self._replay_log(number, queries, state, dataflow, empty)
        self._checkpoint.delivery.restore(state.delivered)
        return recovered

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
        if state.batch and (not dataflow.restore(state.operators, others if lost else known) or lost):
            after, progress = state.batch, Progress.from_bytes(state.operators[PROGRESS])
            self._say(f"recovery: the state after batch {number} is rebuilt from that after batch {after}, by the log")
        else:
            after, progress, dataflow = self._recalled(number, state, _registered(known, empty()))
        for done, batch in logged_batches(self._archive, self._versions, number, after):
            began = time.perf_counter()
            result = dataflow.process(batch)
            for label, rows, _ in result.rows():
                if done > state.reported:
                    self._checkpoint.delivery.hold(label, rows, recovered=True)
            seconds = time.perf_counter() - began
            progress = progress.after(result.streams, result.counts, {}, seconds, dataflow.queries.subqueries)
        if state.reported == number and PROGRESS in state.delivered:
            progress = Progress.from_bytes(state.delivered[PROGRESS])  # the log has no records that were none
        return RecoveredState(progress, [q for q in queries if q.label not in dataflow.flows], replayed=True)

    def _recalled(self, number: int, state: RestoredState, dataflow: Dataflow) -> tuple[int, Progress, Dataflow]:
        """Bring queries that have seen nothing to the end of the last batch that was reported, by what they need.

        Those that need more than a window of the log do it beside the stream, which need not wait for them.

        Returns:
            That batch, the counts then, and the data flow. Where it is not known where the streams were, no batch: the
            log is replayed from its beginning.
        """
        last, moments = state.reported, moments_of(state.delivered)
        if moments is None or last > number or self._archive is None:
            self._say(f"recovery: the state after batch {number} is rebuilt by the log, from its beginning")
            return 0, Progress(), dataflow
        replay = StateReplay(dataflow, self._archive, self._versions, moments, last)
        replay.recall()
        beside = [label for label in dataflow.flows if not is_bounded(dataflow, label)]
        self._border.recover(dataflow, beside, last, state.delivered[MOMENTS].decode(), missed=number)
        for label in reversed(beside):
            dataflow.remove(label)
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
    ) -> Mapping[str, bytes]:
        """The operators' state after a batch from that after an earlier one, by the log.

        Args:
            project: with the knowledge in force.
            registrations: the queries.
            number: of the batch.
            after: the earlier one.
            parts: the state after that.
        """
        dataflow = project.dataflow(isolated=True)
        dataflow.restore(parts, registrations)
        for _, batch in logged_batches(self._archive, self._versions, number, after):
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
