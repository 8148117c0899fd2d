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
    head = state[4 : 4 + length].decode().replace('"version": 2', written).encode()
    with pytest.raises(OperatorError) as error:
        ContextRuntime.restored(contexts.set, len(head).to_bytes(4, "big") + head + state[4 + length :])
    assert str(error.value) == (
        f"the snapshot of a set of contexts has version {told}, this kaicep reads 2: "
        "run the kaicep that wrote it, or remove the snapshots to start from the archive"
    )


UNITS = {
    "prefixes": {"unit": "http://qudt.org/vocab/unit/"},
    "streams": {
        "cars": {
            "event_type": "<urn:R>",
            "time": {"attribute": "at"},
            "attributes": {
                "n": {"datatype": "xsd:integer"},
                "flow": {"datatype": "xsd:double", "unit": "unit:L-PER-SEC"},
                "kind": {"datatype": "xsd:string"},
            },
        }
    },
}
SAID = """
CREATE CONTEXTS road (clear DEFAULT, jam);
INITIATE CONTEXT jam (?e.n + ?e.n AS twice, ?e.flow) FROM (?e, cars) FILTER (?e.kind = 'begin');
TERMINATE CONTEXT jam FROM (?e, cars) FILTER (?e.kind = 'end');
"""
PAIR = "SELECT ?b.n FROM (?a, cars), (?b, cars) IN CONTEXT jam AS ?w"
HALF = 2**62
GIVEN = [(HALF, 1000.0, "begin"), (5, 0.0, ""), (7, 0.0, "end"), (3, 1500.0, "begin"), (9, 0.0, "")]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("SELECT ?e.n FROM (?e, cars) IN CONTEXT jam AS ?w FILTER (?w.flow > 1.2 unit:M3-PER-SEC)", [9]),
        ("SELECT CONVERT(?w.flow, unit:M3-PER-SEC) AS f FROM (?e, cars) IN CONTEXT jam AS ?w", [1.0, 1.0, 1.5]),
        ("SELECT ?w.twice FROM (?e, cars) IN CONTEXT jam AS ?w", [2.0**63, 2.0**63, 6.0]),
        ("SELECT ?e.n FROM (?e, cars) IN CONTEXT jam AS ?w FILTER (?w.twice > 1000)", [5, 7]),
        ("SELECT ?e.n FROM (?e, cars) IN CONTEXT jam AS ?w FILTER (?w.twice - ?e.n < 1000)", [9]),
        (f"{PAIR} SEQ (?a, ?b) JOIN (?a.n + ?b.n < ?w.twice) WINDOW (?a, ?b, 9s)", [7]),
        (f"{PAIR} SEQ (?a+, ?b) JOIN (LAST(?a.n) + ?b.n < ?w.twice) WINDOW (?a, ?b, 9s)", [7]),
        ("SELECT MAX(?w.twice) AS m FROM (?e, cars) IN CONTEXT jam AS ?w WINDOW (?e, CONTEXT)", [2.0**63]),
    ],
)
def test_attributes_of_windows_have_units_and_leave_64_bits_as_what_they_come_from(
    asked: str, found: list[float]
) -> None:
    project = Project.parse(UNITS)
    cars = [
        {"at": (START + timedelta(seconds=i)).isoformat(), "n": n, "flow": flow, "kind": kind}
        for i, (n, flow, kind) in enumerate(GIVEN)
    ]
    rows = project.evaluate(SAID + asked, {"cars": cars}).table.to_pylist()
    assert [next(iter(row.values())) for row in rows] == found


def test_windows_in_which_integers_have_left_64_bits_differently_are_told_apart() -> None:
    """A match that lies in two of them is two rows: they have different items."""
    project = Project.parse(UNITS)
    said = """
    CREATE CONTEXTS road (clear DEFAULT, jam, crash);
    INITIATE CONTEXT jam (?e.n + ?e.n AS more) FROM (?e, cars) FILTER (?e.kind = 'begin');
    INITIATE CONTEXT crash (?e.n + ?e.n + ?e.n AS more) FROM (?e, cars) FILTER (?e.kind = 'begin');
    SELECT COALESCE(?a.more, ?b.more) AS more FROM (?e, cars) IN CONTEXT jam AS ?a, crash AS ?b
    """
    cars = [
        {"at": (START + timedelta(seconds=i)).isoformat(), "n": HALF, "kind": kind}
        for i, kind in enumerate(("begin", ""))
    ]
    rows = project.evaluate(said, {"cars": cars}).table.to_pylist()
    assert sorted(row["more"] for row in rows) == [2.0**63, 2.0**63 * 1.5]
    assert len({row["_id"] for row in rows}) == 2
