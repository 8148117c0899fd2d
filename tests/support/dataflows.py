"""A document answered batch by batch, stopped and resumed on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from random import Random
from typing import Any
from unittest.mock import patch

import pyarrow as pa
from kaicep import Project
from kaicep.pipeline.flow import taken_flow
from kaicep.pipeline.flow.batch_result import BatchResult
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.flow.rules import by_time, shown_calls
from kaicep.pipeline.flow.taken_flow import TakenFlow
from kaicep.pipeline.sinks.row_values import rows

from .batches import at_end, processed
from .cases import Case
from .engines import project_of
from .tuples import Batch

__all__ = ["Run", "answered", "answered_all", "answered_with_calls", "cut_anywhere", "run"]


class Run:
    """A document registered before the first event and answered batch by batch."""

    def __init__(self, project: Project, text: str) -> None:
        self._project = project
        queries = self._project.compile(text)
        self._registrations = [Registration(q, q.called or f"query-{i}") for i, q in enumerate(queries)]
        self._dataflow = self._project.dataflow()
        self._taken: TakenFlow | None = None
        self._steps: list[Mapping[str, pa.Table]] = []
        self._calls: list[pa.Table] = []
        for registration in self._registrations:
            self._dataflow.register(registration)

    def process(self, batch: Batch) -> None:
        """Take one batch."""
        if self._taken is not None:
            processed(self._dataflow, batch)
        self._begin_anew()
        self._take(processed(self._dataflow, batch))

    def _take(self, step: BatchResult) -> None:
        self._steps.append(step.matches)
        self._calls.append(step.calls)

    def resume(self) -> None:
        """Go on in another dataflow that has only the snapshot; it is written when the batch after it is done."""
        self._begin_anew()
        self._taken = self._dataflow.taken()

    def _begin_anew(self) -> None:
        if self._taken is not None:
            with patch.object(taken_flow, "_FEW", 0):  # as if they were many
                state, self._taken = self._taken.written(), None
            self._dataflow = self._project.dataflow()
            self._dataflow.restore(state, self._registrations)

    def finish(self) -> list[list[dict[str, Any]]]:
        """End the streams and give every row of each query, in the order of the document."""
        self._begin_anew()
        self._take(at_end(self._dataflow))
        return [[row for step in self._steps for row in rows(step[one.label])] for one in self._registrations]

    @property
    def calls(self) -> list[dict[str, Any]]:
        """What rules have called so far."""
        return shown_calls(by_time(self._calls))


def cut_anywhere(rows: Mapping[str, list[dict[str, Any]]], rng: Random) -> list[Batch]:
    """Streams in batches of a few tuples of each, or of none."""
    cut: list[Batch] = []
    rest = dict(rows)
    while any(rest.values()):
        sizes = {name: rng.randint(0, 4) for name in rest}
        cut.append({name: own[: sizes[name]] for name, own in rest.items()})
        rest = {name: own[sizes[name] :] for name, own in rest.items()}
    return cut


def run(case: Case, cut: Sequence[Batch], resumed: AbstractSet[int]) -> list[dict[str, Any]]:
    """The answer to a stream that comes in batches, resumed from a snapshot after so many of them."""
    return answered(project_of(case.campus.seed), case.text, cut, resumed)


def answered(project: Project, text: str, cut: Sequence[Batch], resumed: AbstractSet[int]) -> list[dict[str, Any]]:
    """The same of any project and document."""
    return answered_with_calls(project, text, cut, resumed)[0]


def answered_with_calls(
    project: Project, text: str, cut: Sequence[Batch], resumed: AbstractSet[int]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of the last query, and what rules call."""
    answer = _answer(project, text, cut, resumed)
    return answer.finish()[-1], answer.calls


def answered_all(
    project: Project, text: str, cut: Sequence[Batch], resumed: AbstractSet[int]
) -> list[list[dict[str, Any]]]:
    """The rows of each query of a document."""
    return _answer(project, text, cut, resumed).finish()


def _answer(project: Project, text: str, cut: Sequence[Batch], resumed: AbstractSet[int]) -> Run:
    """A document whose last batch has been taken."""
    answer = Run(project, text)
    for position, batch in enumerate(cut):
        if position in resumed:
            answer.resume()
        answer.process(batch)
    if len(cut) in resumed:
        answer.resume()
    return answer
