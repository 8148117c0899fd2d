"""Queries wait and come back at random batches, over kills: their rows are those of an engine that is never behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep.archive import Archive
from kaicep.pipeline.durability import CheckpointedFlow
from kaicep.pipeline.flow import IdleStreams
from kaicep.pipeline.simulation.outage_simulation import RowConsumer
from kaicep.pipeline.sinks.row_values import rows
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch
from support.cases import KINDS, Case, cases, difference, pattern_cases
from support.dataflows import run
from support.engines import project_of
from support.lost_states import stretched
from support.queries import FAMILIES
from support.tuples import Batch, batches

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
MEMORY = Path("/dev/shm")  # noqa: S108 - many archives are made, and none has to survive


@dataclass(frozen=True)
class Step:
    """What happens before a batch.

    Attributes:
        sent: whether the query is to wait from then on.
        called: whether it comes back, if it waits.
        killed: whether another engine goes on.
    """

    sent: bool
    called: bool
    killed: bool


STEPS = st.builds(
    Step,
    sent=st.booleans(),
    called=st.integers(0, 2).map(lambda n: n == 0),
    killed=st.integers(0, 4).map(lambda n: n == 0),
)


@pytest.fixture(autouse=True)
def _in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(MEMORY) if MEMORY.is_dir() else gettempdir())


class Engines:
    """One engine after the other, whose last query waits now and then."""

    def __init__(self, case: Case, folder: Path) -> None:
        self._project, self._text, self._folder = project_of(case.campus.seed), case.text, folder
        self._label = self._project.registrations(case.text, "asked")[-1].label
        self.consumer = RowConsumer(self._label)
        self.said: list[str] = []
        self._idle = IdleStreams(dict.fromkeys(self._project.settings.streams, timedelta.max), lambda: 0.0)

    def start(self) -> None:
        chosen = {"path": str(self._folder / "archive"), "store": False, "enabled": True}
        settings = self._project.settings
        archived = settings.model_copy(update={"archive": settings.archive.model_copy(update=chosen)})
        self._archive = Archive(archived, self._project.knowledge, self._project.shapes)
        self.flow = CheckpointedFlow(
            self._project, self._folder / "state", [self.consumer], self._archive, say=self.said.append
        )
        self.flow.queries.submit(self._project.registrations(self._text, "asked"))

    def close(self) -> None:
        self.flow.close()
        self._archive.close()

    def run(self, number: int, batch: Batch, step: Step) -> None:
        if step.killed:
            self.close()
            self.start()
        if step.sent:
            self.flow.queries.demotion.send(self._label)
        if step.called:
            self.flow.queries.demotion.call(self._label)
        records = {name: RawBatch(raw_table(tuples)) for name, tuples in batch.items()}
        self.flow.run(number, records, self._idle)


def answer(
    case: Case, cut: Sequence[Batch], steps: Sequence[Step], folder: Path
) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of the last query, and what the engines said."""
    engines = Engines(case, folder)
    engines.start()
    for number, (batch, step) in enumerate(zip(cut, steps, strict=True), 1):
        engines.run(number, batch, step)
    engines.flow.finish()
    assert not list(engines.flow.queries.parked)
    engines.close()
    return [row for table in engines.consumer.tables for row in rows(table)], engines.said


def unchanged(data: st.DataObject, family: str) -> None:
    case: Case = data.draw(cases(family) if family in FAMILIES else pattern_cases(family))
    case = stretched(case, data.draw(st.sampled_from((1, 2))), timedelta(seconds=30))
    cut = data.draw(batches(case.streams), label="batches")
    steps = data.draw(st.lists(STEPS, min_size=len(cut), max_size=len(cut)), label="steps")
    steps = [replace(steps[0], killed=False), *steps[1:]] if steps else []
    with TemporaryDirectory(prefix="kaicep-") as folder:
        found, said = answer(case, cut, steps, Path(folder))
    expected = run(case, cut, set())
    different = difference(found, expected, 0)
    assert different is None, (different, said)
    assert [row["_id"] for row in found] == [row["_id"] for row in expected], said


@settings(max_examples=8, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_queries_that_waited_have_the_rows_of_those_that_did_not(data: st.DataObject) -> None:
    unchanged(data, data.draw(st.sampled_from((*FAMILIES, *KINDS))))


@pytest.mark.long
@pytest.mark.parametrize("family", [*FAMILIES, *KINDS])
@settings(max_examples=300, deadline=None, suppress_health_check=SLOW)
@given(data=st.data())
def test_queries_that_waited_have_their_rows_in_the_long_run(family: str, data: st.DataObject) -> None:
    unchanged(data, family)
