"""A set of contexts as it runs: changes are made when all up to their time are known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from kaicep import OperatorError, Project
from kaicep.pipeline.flow import Batch, Dataflow
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.flow.queries.context_runtime import ContextRuntime

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"seg": {"datatype": "xsd:integer"}, "v": {"datatype": "xsd:integer"}},
}
DOCUMENT = """
CREATE CONTEXTS road (clear DEFAULT, jam) BY seg;
TERMINATE CONTEXT jam FROM (?e, cars) WHERE { FILTER (?e.v = 0) };
INITIATE CONTEXT jam FROM (?e, cars) WHERE { FILTER (?e.v < 10) };
SELECT ?c.context, ?c.change, ?c.since, ?c.seg FROM (?c, CONTEXTS(road))
"""
START = datetime(2024, 1, 1, tzinfo=UTC)
CARS = [{"at": (START + timedelta(seconds=n)).isoformat(), "seg": 1, "v": v} for n, v in enumerate((5, 0, 30))]


@pytest.fixture
def dataflow() -> Dataflow:
    project = Project.parse({"streams": {"cars": STREAM}})
    found = project.dataflow()
    for registration in project.registrations(DOCUMENT, "changes"):
        found.register(registration)
    _ = found.process(live_batch(project.annotators, {"cars": pa.Table.from_pylist(CARS)}))
    return found


def test_changes_of_one_time_are_made_in_the_order_of_the_text() -> None:
    project = Project.parse({"streams": {"cars": STREAM}})
    rows = project.evaluate(DOCUMENT, {"cars": CARS}).table.to_pylist()
    told = [((row["_time"] - START).seconds, row["context"], row["change"]) for row in rows]
    assert told == [
        (0, "clear", "ended"),
        (0, "jam", "started"),
        (1, "jam", "ended"),
        (1, "clear", "started"),
        (1, "clear", "ended"),
        (1, "jam", "started"),
    ]


def test_what_is_known_is_what_the_deriving_queries_have_passed(dataflow: Dataflow) -> None:
    contexts = dataflow.queries.contexts["road"]
    assert contexts.known is None
    _ = dataflow.process(Batch()).matches
    assert contexts.known == START + timedelta(seconds=2)


def test_changes_are_taken_back(dataflow: Dataflow) -> None:
    _ = dataflow.process(Batch()).matches
    contexts = dataflow.queries.contexts["road"]
    mark, known = contexts.mark(), contexts.known
    contexts.advance(START + timedelta(hours=1))
    contexts.rewind(mark)
    assert contexts.known == known


def test_a_snapshot_goes_on_where_it_was(dataflow: Dataflow) -> None:
    _ = dataflow.process(Batch()).matches
    registrations = [flow.registration for flow in dataflow.flows.values()]
    other = Project.parse({"streams": {"cars": STREAM}}).dataflow()
    assert other.restore(dataflow.snapshot(), registrations) == []
    rows = [one.process(Batch(ends=True)).matches["changes"] for one in (dataflow, other)]
    assert rows[0].equals(rows[1])
    windows = [one.queries.contexts["road"].history.windows("jam", "1", 0, 2**62) for one in (dataflow, other)]
    assert windows[0] == windows[1] != []


@pytest.mark.parametrize(("written", "told"), [('"version": 99', "99"), ('"other": 1', "0")])
def test_a_snapshot_of_another_version_is_refused(dataflow: Dataflow, written: str, told: str) -> None:
    """One that has no version is of one that was never released."""
    contexts = dataflow.queries.contexts["road"]
    state = contexts.snapshot()
    length = int.from_bytes(state[:4], "big")
    head = state[4 : 4 + length].decode().replace('"version": 1', written).encode()
    with pytest.raises(OperatorError) as error:
        ContextRuntime.restored(contexts.set, len(head).to_bytes(4, "big") + head + state[4 + length :])
    assert str(error.value) == (
        f"the snapshot of a set of contexts has version {told}, this kaicep reads 1: "
        "run the kaicep that wrote it, or remove the snapshots to start from the archive"
    )
