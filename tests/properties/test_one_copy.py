"""A hundred queries that hold the same events hold one copy of them, in memory and in snapshots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.cep import END_OF_TIME
from kaicep.cep.order import held_bytes
from kaicep.pipeline.flow.batch import Batch, live_batch
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sinks.row_values import rows
from support.changing_flow import CARS
from support.sampling import some_of

START = datetime(2024, 1, 1, tzinfo=UTC)
_PAIR = "FILTER (?a.v > 4) FILTER (?b.v > 4) JOIN (?a.car = ?b.car AND ?a.speed > ?b.speed + 0.9) SEQ (?a, ?b)"
FORMS = (
    "SELECT AVG(?e.speed) AS m FROM (?e, P) WHERE {{ FILTER (?e.v > 4) WINDOW (?e, sliding, {length}min) }}",
    f"SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P) WHERE {{{{ {_PAIR} WINDOW (?a, ?b, {{length}}min) }}}}",
    "SELECT COUNT(?e) AS n FROM (?e, P) WHERE {{ FILTER (?e.v > 4) WINDOW (?e, hopping, {length}min, 1min) }}",
    f"SELECT ?a.car AS car FROM (?a, P), (?b, P) WHERE {{{{ {_PAIR} WINDOW (?a, ?b, {{length}}min) }}}} LIMIT 1000000",
)


def texts(count: int, least: int = 20) -> dict[str, str]:
    """Queries of several forms, with windows of so many minutes and more: no two alike."""
    lengths = [least + place // len(FORMS) for place in range(count)]
    return {f"q{place}": FORMS[place % len(FORMS)].format(length=length) for place, length in enumerate(lengths)}


class Flow:
    """A data flow with some queries."""

    def __init__(self, asked: Mapping[str, str]) -> None:
        self.project = Project.parse({"streams": {"P": CARS}})
        self.flow = self.project.dataflow()
        for label, text in asked.items():
            (query,) = self.project.compile(f"CREATE QUERY {label} AS {text}")
            self.flow.register(Registration(query, label, self.flow.now(query)))

    def take(self, batches: Sequence[pa.Table]) -> list[dict[str, list[dict[str, object]]]]:
        """The rows of batches."""
        found = []
        for batch in batches:
            result = self.flow.process(live_batch(self.flow.annotators, {"P": batch}))
            found.append({label: list(rows(of)) for label, of in result.matches.items()})
        return found

    @property
    def held(self) -> int:
        """The bytes of candidates that operators hold."""
        states = [flow.taken() for flow in self.flow.flows.values()]
        return held_bytes(frame for state in states for _, frame in state.candidates)

    @property
    def written(self) -> int:
        """The bytes of what is written of queries."""
        return sum(len(part) for name, part in self.flow.snapshot().items() if not name.startswith("stream"))

    def resumed(self) -> Flow:
        """One that goes on from a snapshot."""
        other = Flow({})
        registrations = [flow.registration for flow in self.flow.flows.values()]
        assert not other.flow.restore(self.flow.snapshot(), registrations)
        return other


def batches(count: int, size: int = 400, late: float = 0.0) -> list[pa.Table]:
    """Readings, ten a second, some of them late by up to two seconds."""
    rng = Random(5)
    found = []
    for first in range(0, count * size, size):
        moments = [n / 10 - 2 * rng.random() * (rng.random() < late) for n in range(first, first + size)]
        columns = {
            "id": [f"event-number-{n:08}" for n in range(first, first + size)],
            "t": [START + timedelta(seconds=max(of, 0)) for of in moments],
            "speed": [rng.random() for _ in moments],
            "v": [rng.randrange(10) for _ in moments],
            "car": [rng.randrange(400) for _ in moments],
        }
        found.append(pa.table(columns))
    return found


def ended(flow: Dataflow) -> dict[str, list[dict[str, object]]]:
    return {label: list(rows(of)) for label, of in flow.process(Batch(ends=True)).matches.items()}


@pytest.mark.parametrize("count", [25, pytest.param(100, marks=pytest.mark.long)])
def test_many_queries_hold_what_one_holds(count: int) -> None:
    """Aggregates and patterns, with windows of other lengths; in snapshots, and restored from these, likewise."""
    given = batches(24)
    singles = [Flow({label: text}) for label, text in [*texts(count).items()][-4:]]
    together = Flow(texts(count))
    for flow in (*singles, together):
        flow.take(given)
    most = max(flow.held for flow in singles)
    assert together.held < 1.5 * most
    assert together.written < 1.5 * max(flow.written for flow in singles)
    assert together.resumed().held < 1.5 * most


@pytest.mark.parametrize("late", some_of([0.2, 0.0], 1))
def test_rows_are_those_of_each_query_alone(late: float) -> None:
    """Whatever waits, and over restarts."""
    asked = texts(8, 1)
    given = batches(24, 150, late)
    together, alone = Flow(asked), {label: Flow({label: text}) for label, text in asked.items()}
    found = together.take(given[:16])
    together = together.resumed()
    found += [*together.take(given[16:]), ended(together.flow)]
    count = 0
    for label, flow in alone.items():
        expected = [of[label] for of in (*flow.take(given), ended(flow.flow))]
        assert [of[label] for of in found] == expected
        count += sum(map(len, expected))
    assert count > 1_000


def test_what_nobody_holds_is_gone() -> None:
    """With the last query that does, and with the last window."""
    given = batches(12)
    flow = Flow({**texts(8), "brief": FORMS[0].format(length=1)})
    flow.take(given[:10])
    before = flow.held
    for place in range(8):
        flow.flow.remove(f"q{place}")
    assert flow.held < before / 3
    flow.take(given[10:])
    assert flow.held < before / 3
    assert flow.flow.watermarks["P"] != END_OF_TIME
