"""How a stream is cut into batches, and where a run is stopped and resumed, never changes the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.pipeline.flow import Registration
from kaicep.pipeline.rows import rows
from kaicep.pipeline.tuples import raw_table
from support.cases import Case, cases, difference
from support.engines import project_of
from support.queries import FAMILIES
from support.tuples import Batch, batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
families = pytest.mark.parametrize("family", FAMILIES)


class Run:
    """A document registered before the first event and answered batch by batch."""

    def __init__(self, case: Case) -> None:
        self._project = project_of(case.campus.seed)
        queries = self._project.compile(case.text)
        self._registrations = [Registration(q, q.name or f"query-{i}") for i, q in enumerate(queries)]
        self._dataflow = self._project.dataflow()
        self._tables: list[pa.Table] = []
        for registration in self._registrations:
            self._dataflow.register(registration)

    def process(self, batch: Batch) -> None:
        """Take one batch."""
        step = self._dataflow.process({name: raw_table(tuples) for name, tuples in batch.items()})
        self._tables.append(step.matches[self._registrations[-1].label])

    def resume(self) -> None:
        """Go on in another dataflow that has only the snapshot."""
        state = self._dataflow.snapshot()
        self._dataflow = self._project.dataflow()
        self._dataflow.restore(state, self._registrations)

    def finish(self) -> list[dict[str, Any]]:
        """End the streams and give every row."""
        self._tables.append(self._dataflow.finish().matches[self._registrations[-1].label])
        return [row for table in self._tables for row in rows(table)]


def whole(case: Case) -> list[dict[str, Any]]:
    """The answer to the streams as one batch."""
    return project_of(case.campus.seed).evaluate(case.text, case.streams)


def invariant(data: st.DataObject, family: str) -> None:
    """Cut a case into batches, resume after some of them, and compare."""
    case = data.draw(cases(family))
    cut: Sequence[Mapping[str, Any]] = data.draw(batches(case.streams), label="batches")
    resumed = data.draw(st.sets(st.integers(0, len(cut))), label="resumed after so many batches")
    expected = whole(case)
    check(run(case, cut, set()), expected)
    if resumed:
        check(run(case, cut, resumed), expected)


def check(actual: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, Any]]) -> None:
    """Equal to the last bit, ids of rows included."""
    found = difference(actual, expected, 0)
    assert found is None, found
    assert [row["_id"] for row in actual] == [row["_id"] for row in expected]


def run(case: Case, cut: Sequence[Batch], resumed: set[int]) -> list[dict[str, Any]]:
    answer = Run(case)
    for position, batch in enumerate(cut):
        if position in resumed:
            answer.resume()
        answer.process(batch)
    if len(cut) in resumed:
        answer.resume()
    return answer.finish()


@families
@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_batches_and_resumption_change_nothing(family: str, data: st.DataObject) -> None:
    invariant(data, family)


@pytest.mark.long
@families
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_batches_and_resumption_change_nothing_in_the_long_run(family: str, data: st.DataObject) -> None:
    invariant(data, family)
