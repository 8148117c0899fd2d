"""A stream goes on from the state that Spark has, whatever a worker remembers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.spark import streamed_answer
from kaicep.spark.document_answer import DocumentAnswer
from kaicep.spark.event_tables import parcels, plain_events, unpacked
from kaicep.spark.remote_project import RemoteProject, packed
from kaicep.spark.streamed_answer import StreamedAnswer
from pyspark.sql.streaming.state import GroupState
from support.living import project

PAIR = "SELECT ?a.flow AS x, ?b.flow AS y FROM (?a, air), (?b, air)"
RISES = f"{PAIR} JOIN (?b.flow > ?a.flow) SEQ (?a -> ?b) WINDOW (?a, ?b, 9s)"
BATCHES = [
    [{"sensor": "s1", "at": f"2026-01-01T00:00:{4 * n + i:02d}Z", "flow": float((4 * n + i) % 3)} for i in range(4)]
    for n in range(5)
]


class State(GroupState):
    """Spark's state of a group."""

    def __init__(self, value: bytes | None = None) -> None:
        self.value = value

    @property
    def exists(self) -> bool:
        return self.value is not None

    @property
    def get(self) -> tuple[bytes | None]:
        return (self.value,)

    def update(self, value: tuple[bytes]) -> None:
        (self.value,) = value


class Content:
    """What Spark has broadcast."""

    def __init__(self, value: bytes) -> None:
        self.value = value


@pytest.fixture
def air(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(streamed_answer, "_AT_WORK", OrderedDict())
    return project(tmp_path)


@pytest.fixture
def answer(air: Project) -> StreamedAnswer:
    content = packed(air)
    return StreamedAnswer(RemoteProject(str(hash(content)), Content(content)), RISES)


def frames(air: Project, readings: list[dict[str, Any]]) -> Iterator[pd.DataFrame]:
    """A micro-batch, as Spark hands it over: in any number of pieces, in any order."""
    for reading in reversed(readings):
        packed_rows = pa.Table.from_batches(parcels("air", plain_events(air, "air", raw_table([reading]))))
        yield packed_rows.to_pandas()


def certain(air: Project, readings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that the watermark has passed: of its own moment more may come."""
    found: list[dict[str, Any]] = air.evaluate(RISES, {"air": readings}).to_arrow().to_pylist()
    return [row for row in found if row["_time"] < datetime.fromisoformat(readings[-1]["at"])]


def rows(answer: StreamedAnswer, air: Project, batch: int, state: State) -> list[dict[str, Any]]:
    return [
        row
        for frame in answer((0,), frames(air, BATCHES[batch]), state)
        for row in unpacked(frame["payload"].to_list()).to_pylist()
    ]


def test_it_has_the_rows_of_the_whole(air: Project, answer: StreamedAnswer) -> None:
    state = State()
    found = [row for number in range(5) for row in rows(answer, air, number, state)]
    assert found == certain(air, [reading for batch in BATCHES for reading in batch])
    assert len(found) > 5


def test_a_worker_that_has_the_state_does_not_read_it(
    air: Project, answer: StreamedAnswer, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = State()
    rows(answer, air, 0, state)
    monkeypatch.setattr(DocumentAnswer, "restored", None)
    rows(answer, air, 1, state)


def test_a_batch_that_is_done_again_has_the_same_rows(air: Project, answer: StreamedAnswer) -> None:
    """Also in a worker that is ahead of the state, as when Spark could not commit what it gave."""
    state = State()
    rows(answer, air, 0, state)
    before = state.value
    first = rows(answer, air, 1, state)
    after = rows(answer, air, 2, state)
    again = State(before)
    assert rows(answer, air, 1, again) == first
    assert rows(answer, air, 2, again) == after
    assert first
    assert after


def test_another_worker_goes_on(air: Project, answer: StreamedAnswer) -> None:
    state = State()
    first = rows(answer, air, 0, state)
    streamed_answer._AT_WORK.clear()
    found = first + rows(answer, air, 1, state)
    assert found == certain(air, BATCHES[0] + BATCHES[1])


def test_a_worker_keeps_few(air: Project, answer: StreamedAnswer) -> None:
    for number in range(6):
        rows(StreamedAnswer(answer.remote, f"{RISES} LIMIT {number + 1}"), air, 0, State())
    assert len(streamed_answer._AT_WORK) == 4
