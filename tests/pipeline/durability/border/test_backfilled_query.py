"""One query catches up on a thread of its own: through its past, then through the log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.durability.border.backfilled_query import BackfilledQuery
from kaicep.pipeline.flow.batch import Batch, live_batch
from kaicep.pipeline.flow.dataflow import Dataflow
from kaicep.pipeline.flow.queries import Registration
from support.living import batch, project

EVERY = "SELECT ?e.at AS at FROM (?e, air)"


@dataclass
class Past:
    """The batches before a border; each is one batch."""

    dataflow: Dataflow
    last: int
    failing: bool = False
    done: float = 0.0

    def numbered(self, first: int, last: int) -> Iterator[tuple[int, Batch]]:
        for number in range(first, last + 1):
            raw = {stream: of.table for stream, of in batch(number).items()}
            yield number, live_batch(self.dataflow.annotators, raw)

    def batches(self) -> Iterator[Batch]:
        if self.failing:
            raise OSError("no such file")
        for _, found in self.numbered(1, self.last):
            yield found


@pytest.fixture
def past(tmp_path: Path) -> Past:
    asked = project(tmp_path)
    (query,) = asked.compile(EVERY)
    dataflow = asked.dataflow()
    dataflow.register(Registration(query, "late"))
    return Past(dataflow, 3)


def times(query: BackfilledQuery) -> list[object]:
    return [row["at"] for table in query.wait() for row in table.to_pylist()]


def test_the_log_follows_the_past(past: Past) -> None:
    query = BackfilledQuery("late", past, lambda after: past.numbered(after + 1, 5), last=3)
    found = times(query)
    assert query.caught_up
    assert query.arrived()
    assert len(found) == len(set(found)) == query.handed > 0
    (alone,) = past.dataflow.flows.values()
    assert alone.failure is None


def test_rows_that_were_handed_over_are_left_out(past: Past, tmp_path: Path) -> None:
    whole = times(BackfilledQuery("late", past, lambda _after: (), last=3))
    (tmp_path / "again").mkdir()
    asked = project(tmp_path / "again")
    (query,) = asked.compile(EVERY)
    past.dataflow = asked.dataflow()
    past.dataflow.register(Registration(query, "late"))
    assert times(BackfilledQuery("late", past, lambda _after: (), last=3, handed=2)) == whole[2:]


def test_what_ends_it_is_told_and_nothing_goes_on(past: Past) -> None:
    past.failing = True
    query = BackfilledQuery("late", past, lambda _after: (), last=3)
    assert times(query) == []
    assert not query.caught_up
    assert isinstance(query.failure, PipelineError)
    assert "the past of 'late' cannot be answered: no such file" in str(query.failure)
