"""Queries that are alike are answered together, and by themselves where that goes wrong."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.cep import JointMember, JointOperator
from kaicep.errors import CeilingError
from kaicep.pipeline.flow.answering import joint_answering
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration
from support.batches import processed

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "identity": ["n"],
    "attributes": {"n": {"datatype": "xsd:integer"}, "x": {"datatype": "xsd:double"}},
}
ALIKE = "SELECT ?e.n FROM (?e, R) FILTER (?e.n >= {})"
OTHER = "SELECT ?e.x FROM (?e, R)"
Asked = list[list[str | None]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The names of the queries of each call of several."""
    found: Asked = []
    rows = JointOperator.rows

    def noted(self: JointOperator, members: list[JointMember], *more: Any) -> list[pa.Table | None]:
        found.append([member.operator.query.name for member in members])
        return rows(self, members, *more)

    monkeypatch.setattr(JointOperator, "rows", noted)
    return found


def flow(*texts: str, isolated: bool = False) -> Dataflow:
    project = Project.parse({"streams": {"R": STREAM}})
    made = project.dataflow(isolated=isolated)
    for place, text in enumerate(texts):
        (query,) = project.compile(f"CREATE QUERY q{place} AS {text}")
        made.register(Registration(query, f"q{place}"))
    return made


def rows(of: Dataflow, second: int) -> dict[str, list[Any]]:
    """What a batch of five events brings, by label."""
    events = [{"at": f"2026-01-01T00:00:{second + n:02}Z", "n": second + n, "x": n / 2} for n in range(5)]
    return {label: table.column(0).to_pylist() for label, table in processed(of, {"R": events}).matches.items()}


def test_those_that_are_alike_and_have_something_to_do_are_answered_together(asked: Asked) -> None:
    answering = flow(ALIKE.format(2), OTHER, ALIKE.format(99), ALIKE.format(3))
    assert rows(answering, 0) == {"q0": [2, 3], "q1": [0.0, 0.5, 1.0, 1.5], "q2": [], "q3": [3]}
    assert rows(answering, 5) == {
        "q0": [4, 5, 6, 7, 8],
        "q1": [2.0, 0.0, 0.5, 1.0, 1.5],
        "q2": [],
        "q3": [4, 5, 6, 7, 8],
    }
    assert asked == [["q0", "q3"]] * 2


def test_what_goes_wrong_together_is_asked_one_by_one_for_a_while(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> list[pa.Table | None]:
        asked.append(["failed"])
        raise CeilingError("too much")

    answering = flow(ALIKE.format(0), ALIKE.format(3))
    with monkeypatch.context() as patched:
        patched.setattr(JointOperator, "rows", fail)
        patched.setattr(joint_answering, "_APART", 2)
        assert rows(answering, 0) == {"q0": [0, 1, 2, 3], "q1": [3]}
    assert [rows(answering, second)["q1"] for second in (5, 10, 15)] == [
        [4, *range(5, 9)],
        [*range(9, 14)],
        [*range(14, 19)],
    ]
    assert asked == [["failed"], ["q0", "q1"]]


def test_one_that_fails_is_stopped_alone(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    answering = flow(ALIKE.format(0), ALIKE.format(1), ALIKE.format(2), isolated=True)
    broken = answering.flows["q1"].sources[0]
    monkeypatch.setattr(type(broken), "candidates", _failing(broken, type(broken).candidates))
    assert rows(answering, 0) == {"q0": [0, 1, 2, 3], "q1": [], "q2": [2, 3]}
    assert answering.flows["q1"].failure is not None
    assert asked == [["q0", "q2"]]


def _failing(broken: object, candidates: Any) -> Any:
    def found(self: object, *arguments: Any) -> Any:
        if self is broken:
            raise CeilingError("no more")
        return candidates(self, *arguments)

    return found


def test_only_so_many_candidates_are_held_at_once(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_answering, "_ROWS", 8)
    answering = flow(*(ALIKE.format(n) for n in range(4)))
    assert rows(answering, 0) == {f"q{n}": [*range(n, 4)] for n in range(4)}
    assert asked == [["q0", "q1"], ["q2", "q3"]]
