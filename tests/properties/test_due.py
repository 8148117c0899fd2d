"""What is due with the watermark alone: an operator never says so too late, or a silent stream would hide it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.pipeline.flow.batch import Batch
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration
from support.batches import processed
from support.cases import Case, cases
from support.engines import project_of
from support.queries import FAMILIES
from support.tuples import batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
FAR = datetime(9000, 1, 1, tzinfo=UTC)
STEPS = 30
families = pytest.mark.parametrize("family", FAMILIES)


def never_too_late(data: st.DataObject, family: str) -> None:
    """Cut a case somewhere; from then on only the watermark moves, from what is due to what is due."""
    case = data.draw(cases(family))
    dataflow = _registered(case)
    cut = data.draw(batches(case.streams), label="batches")
    for batch in cut[: data.draw(st.integers(0, len(cut)), label="delivered")]:
        processed(dataflow, batch)
    for _ in range(STEPS):
        if not dataflow.due:
            break
        due = min(dataflow.due.values())
        _watermarks_move(dataflow, due - timedelta(microseconds=1), "before it is due")
        dataflow.process(Batch(advances={name: _beyond(dataflow, name, due) for name in dataflow.due}))
    else:
        return  # a stream of windows that never ends
    _watermarks_move(dataflow, FAR, "though nothing is due")


def _registered(case: Case) -> Dataflow:
    project = project_of(case.campus.seed)
    dataflow = project.dataflow()
    for number, query in enumerate(project.compile(case.text)):
        dataflow.register(Registration(query, query.name or f"query-{number}"))
    return dataflow


def _beyond(dataflow: Dataflow, stream: str, due: datetime) -> datetime:
    """What is due, or if that was too early a little more than there is."""
    watermark = dataflow.watermarks[stream]
    return due if watermark is None or watermark < due else watermark + timedelta(milliseconds=500)


def _watermarks_move(dataflow: Dataflow, to: datetime, when: str) -> None:
    """Moved so far at the most, the watermarks bring no row."""
    moved = dataflow.process(Batch(advances=dict.fromkeys(dataflow.annotators, to)))
    assert not {label: rows.num_rows for label, rows in moved.matches.items() if rows.num_rows}, when


@families
@settings(max_examples=2, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_what_is_due_is_never_said_too_late(family: str, data: st.DataObject) -> None:
    never_too_late(data, family)


@pytest.mark.long
@families
@settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_what_is_due_is_never_said_too_late_in_the_long_run(family: str, data: st.DataObject) -> None:
    never_too_late(data, family)
