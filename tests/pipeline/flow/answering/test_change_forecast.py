"""What is foreseen of changes: the same rows come, sooner."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.pipeline.flow import Batch, Dataflow
from kaicep.pipeline.flow.answering.change_forecast import ChangeForecast
from kaicep.pipeline.flow.answering.derivation import Derivation
from kaicep.pipeline.flow.batch import live_batch

STREAM = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"seg": {"datatype": "xsd:integer"}, "v": {"datatype": "xsd:integer"}},
}
START = datetime(2024, 1, 1, tzinfo=UTC)
CHAIN = """
CREATE CONTEXTS road (clear DEFAULT, slow, jam) BY seg;
SWITCH CONTEXT slow FROM (?e, cars) IN CONTEXT clear WHERE {{ FILTER (?e.v < 20) }};
SWITCH CONTEXT jam (?e.v AS since) FROM (?e, cars) IN CONTEXT slow WHERE {{ FILTER (?e.v < 10) }};
{last};
CREATE QUERY told AS SELECT ?c.context, ?c.change, ?c.seg FROM (?c, CONTEXTS(road)) WHERE {{}}
"""
SINGLE = "SWITCH CONTEXT clear FROM (?e, cars) IN CONTEXT jam, slow WHERE { FILTER (?e.v > 50) }"
PATTERN = """SWITCH CONTEXT clear FROM (?e, cars), (?f, cars) IN CONTEXT jam
WHERE { JOIN (?e.seg = ?f.seg) FILTER (?e.v > 20) FILTER (?f.v > 50) SEQ (?e, ?f) WINDOW (?e, ?f, 9s) }"""
DENSE = [
    {"at": (START + timedelta(seconds=n // 2)).isoformat(), "seg": n % 3, "v": (5, 30, 60, 15, 8, 70, 25)[n * n % 7]}
    for n in range(300)
]


def answered(last: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[dict[str, object]], int]:
    """What is told of contexts, and how many rounds were needed."""
    rounds: list[int] = []
    made = Derivation._made

    def counted(self: Derivation, rows: object, *others: object) -> list[object]:
        rounds[:] = [*rounds, 1] if rows else rounds
        return made(self, rows, *others)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(Derivation, "_made", counted)
    project, dataflow = three_contexts(last)
    batch = live_batch(project.annotators, {"cars": pa.Table.from_pylist(DENSE)})
    found = [row for b in (batch, Batch(ends=True)) for row in dataflow.process(b).matches["told"].to_pylist()]
    return found, len(rounds)


def three_contexts(last: str) -> tuple[Project, Dataflow]:
    project = Project.parse({"streams": {"cars": STREAM}})
    dataflow = project.dataflow()
    for registration in project.registrations(CHAIN.format(last=last), "road"):
        dataflow.register(registration)
    return project, dataflow


@pytest.mark.parametrize(("last", "rounds"), [(SINGLE, 2), (PATTERN, 60)])
def test_what_is_foreseen_saves_rounds(last: str, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rows come, with fewer rounds; of single events one for each batch finds all."""
    found, few = answered(last, monkeypatch)
    monkeypatch.undo()
    monkeypatch.setattr(ChangeForecast, "of", lambda _flow: None)
    plain, many = answered(last, monkeypatch)
    assert found == plain
    assert len(found) > 20
    assert few <= rounds
    assert few < many


def test_a_wrong_forecast_costs_rounds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, few = answered(SINGLE, monkeypatch)
    monkeypatch.undo()
    monkeypatch.setattr(ChangeForecast, "rows", lambda self, _events, _watermark: self._runtime.no_rows)
    found, many = answered(SINGLE, monkeypatch)
    assert found == expected
    assert few < many


def test_of_patterns_nothing_is_foreseen() -> None:
    _, dataflow = three_contexts(PATTERN)
    of = [flow for flow in dataflow.flows.values() if flow.query.change is not None]
    assert [ChangeForecast.of(flow) is not None for flow in of] == [True, True, False]
