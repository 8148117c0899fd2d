"""Queries that are submitted late and begin in the past catch up beside the live stream."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.errors import ArchiveError
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.flow.backfill import Backfill
from kaicep.pipeline.flow.batch import Batch
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.flow.queries.registration import Registration
from support.command_line import wait_for
from support.living import IN_OFFICES, archive_of, batch, project

OFFICES = IN_OFFICES.replace("PATH", "WITHIN (, ) PATH")
PAIRS = (
    "SELECT ?a.at AS a, ?b.at AS b FROM (?a, air), (?b, air) WITHIN (, ) "
    "JOIN (?a.sensor = ?b.sensor) SEQ (?a, ?b) WINDOW (?a, ?b, 2s)"
)
LAST = 9


class Process:
    """An engine without Spark that listens: it does not wait for the past."""

    def __init__(self, folder: Path) -> None:
        self.asked: Project = project(folder, archive=True)
        self._archive = archive_of(self.asked)
        self.flow = CheckpointedFlow(self.asked, folder / "state", (), self._archive)

    def submit(self, text: str) -> None:
        (query,) = self.asked.compile(text)
        self.flow.queries.submit([Registration(query, "late")])

    def run(self, first: int, last: int) -> Iterator[Mapping[str, object]]:
        """The late query's rows of some batches."""
        idleness = IdleStreams(self.asked.settings.idle_timeouts())
        for number in range(first, last + 1):
            yield from _rows(self.flow.run(number, batch(number), idleness).matches)

    def finish(self) -> Iterator[Mapping[str, object]]:
        yield from _rows(self.flow.finish().matches)
        self.kill()

    def kill(self) -> None:
        self.flow.close()
        self._archive.close()


def _rows(matches: Mapping[str, pa.Table]) -> list[Mapping[str, object]]:
    rows: list[Mapping[str, object]] = matches["late"].to_pylist() if "late" in matches else []
    return rows


def always_there(folder: Path, text: str) -> list[Mapping[str, object]]:
    folder.mkdir()
    process = Process(folder)
    process.submit(text)
    return [*process.run(1, LAST), *process.finish()]


class Gate:
    """Holds the past back until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._opened = threading.Event()
        batches = Backfill.batches

        def held(self_: Backfill) -> Iterator[Batch]:
            self._opened.wait()
            yield from batches(self_)

        monkeypatch.setattr(Backfill, "batches", held)

    def open(self) -> None:
        self._opened.set()


@pytest.mark.slow
@pytest.mark.parametrize("text", [OFFICES, PAIRS])
def test_rows_are_those_of_a_query_that_was_always_there(tmp_path: Path, text: str) -> None:
    process = Process(tmp_path)
    before = list(process.run(1, 4))
    process.submit(text)
    rows = [*process.run(5, LAST), *process.finish()]
    assert before == []
    assert rows == always_there(tmp_path / "reference", text)
    assert rows


@pytest.mark.slow
def test_the_past_holds_no_batch_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes, batches go on, and what they bring the query is not lost."""
    expected = always_there(tmp_path / "reference", PAIRS)
    gate = Gate(monkeypatch)
    process = Process(tmp_path)
    list(process.run(1, 4))
    process.submit(PAIRS)
    assert list(process.run(5, 8)) == []
    gate.open()
    assert [*process.run(9, LAST), *process.finish()] == expected


@pytest.mark.slow
def test_after_a_crash_the_past_begins_again_and_no_row_comes_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = always_there(tmp_path / "reference", PAIRS)
    first = Process(tmp_path)
    list(first.run(1, 4))
    first.submit(PAIRS)
    Gate(monkeypatch).open()
    rows = list(first.run(5, 5))
    first.kill()
    second = Process(tmp_path)
    second.submit(PAIRS)
    rows += [*second.run(6, LAST), *second.finish()]
    assert rows == expected


def test_a_past_that_cannot_be_answered_parks_its_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The batch goes on; resumed, the query begins with its past again, also in another process."""
    expected = always_there(tmp_path / "reference", PAIRS)

    def broken(_: Backfill) -> Iterator[Batch]:
        raise ArchiveError("the log segment is broken: by a test")

    process = Process(tmp_path)
    list(process.run(1, 4))
    process.submit(PAIRS)
    with monkeypatch.context() as patched:
        patched.setattr(Backfill, "batches", broken)
        assert list(process.run(5, 5)) == []
        wait_for(lambda: not any(thread.name == "kaicep-past-late" for thread in threading.enumerate()))
        assert list(process.run(6, 6)) == []
    (parked,) = process.flow.queries.parked
    assert str(parked.failure) == "the log segment is broken: by a test"
    assert not parked.live
    assert list(process.run(7, 7)) == []
    process.kill()
    again = Process(tmp_path)
    again.submit(PAIRS)
    assert list(again.run(8, 8)) == []
    assert again.flow.queries.resume("late") == ("late",)
    assert [*again.run(9, LAST), *again.finish()] == expected


def test_a_query_may_be_withdrawn_while_it_is_with_its_past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate(monkeypatch)
    process = Process(tmp_path)
    list(process.run(1, 4))
    process.submit(PAIRS)
    list(process.run(5, 5))
    gate.open()
    process.flow.queries.withdraw("late", process.flow.dataflow)
    assert list(process.run(6, 7)) == []
    assert "late" not in process.flow.dataflow.flows
    process.kill()
