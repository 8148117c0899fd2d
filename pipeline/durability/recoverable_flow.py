"""A data flow that knows which batch it has done, and how to get to the border of any other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from ...archive import Archive
from ...planner import Strategy
from ..catalog import Catalog
from ..flow import Batch, BatchResult
from ..knowledge import BatchKnowledge, KnowledgeSwap, KnowledgeVersions, Version
from .border import BatchBorder
from .checkpoint import Checkpoint
from .flow_state import MOMENTS, FlowState, moments_part
from .intake import BatchHosting
from .progress import PROGRESS, Progress
from .replay import logged_batches
from .state_recovery import StateRecovery
from .withdrawn_notes import changes_part

__all__ = ["RecoverableFlow"]

_KNOWLEDGE = "knowledge"


class RecoverableFlow:
    """The data flow of an engine between its batches.

    Args:
        project: settings, knowledge, annotations.
        checkpoint: all that is durable of the batches.
        archive: where events go; `None` when it is switched off.
        versions: of the knowledge.
        on_swap: called with each new version of the knowledge before the first batch that it judges.
        say: takes a line of the log about what was missed.
        strategy: how the past of queries is answered; `None`: as the planner chooses.
        hosting: where batches are read and answered.

    Attributes:
        border: where queries come and go.
        dataflow: as it stands after the last batch.
        done: that batch; `None`: nobody has asked yet.
        progress: what was done so far, over restarts.
        project: with the knowledge in force.
        version: the one that judged the last batch; `None` before the first.
    """

    def __init__(
        self,
        project: Catalog,
        checkpoint: Checkpoint,
        archive: Archive | None,
        versions: KnowledgeVersions,
        on_swap: Callable[[Version, KnowledgeSwap], None],
        *,
        say: Callable[[str], None],
        strategy: Strategy | None,
        hosting: BatchHosting,
    ) -> None:
        self.project, self._versions, self._on_swap = project, versions, on_swap
        self._checkpoint, self._archive = checkpoint, archive
        self.progress = Progress()
        self.version: Version | None = None
        self._hosting = hosting
        self.dataflow = hosting.dataflow(project)
        self.border = BatchBorder(
            checkpoint,
            archive,
            versions,
            logged=self._logged,
            rebuild=self._rebuilt,
            say=say,
            strategy=strategy,
            services=project.settings.queries,
            hosting=hosting,
            dataflow=lambda: self.dataflow,
        )
        self._recovery = StateRecovery(checkpoint, archive, versions, self.border, say=say, hosting=hosting)
        self.done: int | None = None
        self._unfinished = False

    def prepare(self, number: int, *, patient: bool) -> None:
        """Bring the state to the end of the batch before, and register what waits for a batch border.

        Args:
            number: of the batch that begins.
            patient: wait for queries that are with their past still.
        """
        self.border.take_requests(self.dataflow, number)
        if self.done != number - 1 or self._unfinished:
            self._restore(number - 1)
        self._adopt(self._versions.begin(number))
        self.border.cross(self.dataflow, number, self.project.judgement, patient=patient)

    def begin(self) -> None:
        """Note that a batch is at work: until it is finished, the state is that of no border."""
        self._unfinished = True

    def finish(self, number: int) -> None:
        """Note that a batch is done and durable."""
        self.done, self._unfinished = number, False
        self.border.settle()

    def count(
        self, result: BatchResult, malformed: Mapping[str, int], seconds: float, counts: Mapping[str, int]
    ) -> None:
        """Count what a batch brought."""
        self.progress = self.progress.after(
            result.streams, counts, malformed, seconds, self.dataflow.queries.subqueries, done=result.done
        )

    def state(
        self, flows: Mapping[str, bytes] | None, later: Callable[[], Mapping[str, bytes]] | None = None
    ) -> FlowState:
        """What of it goes into a snapshot.

        Args:
            flows: of streams and queries; `None`: a replay of the log gives it.
            later: gives that beside the next batches.
        """
        version = {} if self.version is None else {_KNOWLEDGE: str(self.version).encode()}
        counts = {PROGRESS: self.progress.to_bytes(), MOMENTS: moments_part(self.dataflow.moments)}
        noted = self.border.snapshot(self.dataflow) | changes_part(self.dataflow, self.border.resuming) | counts
        return FlowState(
            None if flows is None else {**flows, **version},
            noted,
            None if later is None else lambda: {**later(), **version},
        )

    def close(self) -> None:
        """Give back the threads."""
        self.border.close()
        self.dataflow.close()

    def _adopt(self, known: BatchKnowledge) -> None:
        """Judge by a version of the knowledge from this batch on."""
        self.version = known.version
        if known.project is self.project:
            return
        self.project = known.project
        self._checkpoint.leave_log()
        self.dataflow.judge_by(replace(known.project.judgement, filters=known.filters))
        if known.swap is not None:
            if self._archive is not None:
                self._archive.adopt(known.project.knowledge, known.project.shapes)
            self._on_swap(known.version, known.swap)

    def _restore(self, number: int) -> None:
        """Go back to the state after a batch."""
        queries = [*(flow.registration for flow in self.dataflow.flows.values()), *self.border.waiting]
        self.border.close()
        recovered = self._recovery.restore(number, queries, self.project)
        self.dataflow.close()
        self.dataflow = recovered.dataflow
        self.border.waiting, self.progress = recovered.unknown, recovered.progress
        if recovered.replayed:
            self.dataflow.judge_by(self.project.judgement)
            self._checkpoint.rebuilt(number, self.state(self.dataflow.snapshot()))
        if self._checkpoint.lost_registrations:
            self.border.register_durably(self.dataflow)
        self.progress = self.progress.resumed()
        self.done, self._unfinished = number, False

    def _rebuilt(self, number: int, after: int, parts: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """The operators' state after a batch from that after an earlier one, by the log."""
        registrations = [flow.registration for flow in self.dataflow.flows.values()]
        queries = self.dataflow.queries
        every = queries.withdrawn.among(registrations, after, restored=True)
        since = queries.withdrawn.changed_since(queries.changed_since)
        return self._recovery.rebuilt(self.project, every, number, after, parts, since=since)

    def _logged(self, after: int) -> Iterator[tuple[int, Batch]]:
        """The batches behind one that are done."""
        return logged_batches(self._archive, self._versions, self.done or 0, after)
