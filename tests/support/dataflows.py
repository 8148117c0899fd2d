"""A document answered batch by batch, stopped and resumed on the way."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import pyarrow as pa
from kaicep import Project
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sinks.row_values import rows

from .batches import ended, processed
from .cases import Case
from .engines import project_of
from .tuples import Batch

__all__ = ["Run", "answered", "run"]


class Run:
    """A document registered before the first event and answered batch by batch."""

    def __init__(self, project: Project, text: str) -> None:
        self._project = project
        queries = self._project.compile(text)
        self._registrations = [Registration(q, q.name or f"query-{i}") for i, q in enumerate(queries)]
        self._dataflow = self._project.dataflow()
        self._tables: list[pa.Table] = []
        for registration in self._registrations:
            self._dataflow.register(registration)

    def process(self, batch: Batch) -> None:
        """Take one batch."""
        step = processed(self._dataflow, batch)
        self._tables.append(step.matches[self._registrations[-1].label])

    def resume(self) -> None:
        """Go on in another dataflow that has only the snapshot."""
        state = self._dataflow.snapshot()
        self._dataflow = self._project.dataflow()
        self._dataflow.restore(state, self._registrations)

    def finish(self) -> list[dict[str, Any]]:
        """End the streams and give every row."""
        self._tables.append(ended(self._dataflow)[self._registrations[-1].label])
        return [row for table in self._tables for row in rows(table)]


def run(case: Case, cut: Sequence[Batch], resumed: AbstractSet[int]) -> list[dict[str, Any]]:
    """The answer to a stream that comes in batches, resumed from a snapshot after so many of them."""
    return answered(project_of(case.campus.seed), case.text, cut, resumed)


def answered(project: Project, text: str, cut: Sequence[Batch], resumed: AbstractSet[int]) -> list[dict[str, Any]]:
    """The same of any project and document."""
    answer = Run(project, text)
    for position, batch in enumerate(cut):
        if position in resumed:
            answer.resume()
        answer.process(batch)
    if len(cut) in resumed:
        answer.resume()
    return answer.finish()
