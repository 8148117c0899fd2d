"""A large state is written beside the batches after it, and nothing depends on when it is there."""

from __future__ import annotations

import errno
import json
import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from kaicep.pipeline.durability.snapshots import snapshot_interval
from kaicep.pipeline.durability.snapshots.later_snapshot import LaterSnapshot
from kaicep.pipeline.durability.snapshots.operator_snapshots import OperatorSnapshots
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime
from support.air_engine import AirEngine, snapshots_in

LAST = 24


def test_what_became_of_it_is_told_to_who_asks() -> None:
    told: list[object] = []
    go = threading.Event()
    later = LaterSnapshot(told.append, told.append)
    later.settle()
    later.begin(lambda: 7 if go.wait(10) else 0)
    later.settle()
    assert told == []
    go.set()
    later.settle(wait=True)
    later.settle(wait=True)
    assert told == [7]
    later.begin(lambda: 1 // 0)
    later.close()
    assert isinstance(told[1], ZeroDivisionError)


class Engine(AirEngine):
    """With what it has left."""

    @property
    def found(self) -> list[Mapping[str, object]]:
        return [json.loads(line) for line in self.rows.read_text(encoding="utf-8").splitlines()]

    @property
    def snapshots(self) -> list[int]:
        return snapshots_in(self.rows.parent)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Mapping[str, object]]:
    engine = Engine(tmp_path_factory.mktemp("expected"))
    engine.run(1, LAST)
    engine.close()
    assert len(engine.found) > 60
    return engine.found


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every state counts as large, and every third one is due."""
    monkeypatch.setattr(snapshot_interval, "_LARGE", 0)
    monkeypatch.setattr(snapshot_interval, "_BATCHES", 3)
    monkeypatch.setattr(snapshot_interval, "_ROW", 0)


@pytest.mark.usefixtures("large")
def test_a_state_is_written_as_it_was_though_batches_have_gone_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: list[Mapping[str, object]]
) -> None:
    go, write = threading.Event(), OperatorSnapshots.write

    def slow(self: OperatorSnapshots, batch: int, parts: Mapping[str, bytes]) -> int:
        assert batch == 1 or go.wait(20)
        return write(self, batch, parts)

    engine = Engine(tmp_path)
    with monkeypatch.context() as slowly:
        slowly.setattr(OperatorSnapshots, "write", slow)
        engine.run(1, 6)
        assert (engine.snapshots, engine.flow.done) == ([1], 6)
        go.set()
        engine.close()
    assert engine.snapshots == [1, 4]
    again = Engine(tmp_path)
    again.run(7, LAST)
    again.close()
    assert again.found == expected


@pytest.mark.usefixtures("large")
def test_a_process_that_ends_before_it_is_written_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: list[Mapping[str, object]]
) -> None:
    for first in range(1, LAST + 1, 6):
        engine = Engine(tmp_path)
        with monkeypatch.context() as killed:
            killed.setattr(LaterSnapshot, "begin", lambda *_: None)
            engine.run(first, first + 5)
        engine.close()
    assert engine.found == expected


@pytest.mark.usefixtures("large")
def test_what_cannot_be_written_beside_batches_is_written_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: list[Mapping[str, object]]
) -> None:
    engine, write = Engine(tmp_path), OperatorSnapshots.write
    full = OSError(errno.ENOSPC, "No space left on device")

    def refuse(self: OperatorSnapshots, batch: int, parts: Mapping[str, bytes]) -> int:
        if threading.current_thread().name.startswith("kaicep-snapshot"):
            raise full
        return write(self, batch, parts)

    monkeypatch.setattr(OperatorSnapshots, "write", refuse)
    engine.run(1, 4)
    engine.flow._checkpoint._later.settle(wait=True)
    assert engine.snapshots == [1]
    engine.run(5, LAST)
    engine.close()
    assert engine.snapshots[0] > 4
    assert len(engine.said) > 3
    refusal = "recovery: the state cannot be written beside batches ([Errno 28] No space left on device)"
    assert set(engine.said) == {f"{refusal}; it is written with the next one"}
    assert engine.found == expected


def test_it_waits_for_the_one_before() -> None:
    order: list[int] = []
    later = LaterSnapshot(order.append, lambda error: pytest.fail(str(error)))
    for number in range(5):
        later.begin(partial(int, number))
    later.close()
    assert order == [0, 1, 2, 3, 4]


@pytest.mark.usefixtures("large")
def test_a_state_without_a_query_that_fails_as_it_is_taken_is_written_with_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No replay of the log says that it has failed."""
    engine, taken = Engine(tmp_path), QueryRuntime.taken

    def fails(self: QueryRuntime) -> object:
        if self.registration.label == "q1":
            raise MemoryError
        return taken(self)

    engine.run(1, 3)
    with monkeypatch.context() as failing:
        failing.setattr(QueryRuntime, "taken", fails)
        failing.setattr(LaterSnapshot, "begin", lambda *_: pytest.fail("it is written beside the next batches"))
        engine.run(4, 4)
    assert engine.snapshots == [1, 4]
    assert [parked.label for parked in engine.flow.queries.parked] == ["q1"]
    engine.close()
