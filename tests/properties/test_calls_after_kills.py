"""Calls of batches, wherever the engine is killed: each is made, none before its batch is done, one twice at most."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep.archive import Archive
from kaicep.config import ActionSettings
from kaicep.pipeline.actions import ActionCall, CallDelivery, Receiver
from kaicep.pipeline.actions.delivery.outbox import Outbox
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.durability.journal import BatchJournal
from kaicep.pipeline.durability.snapshots.operator_snapshots import OperatorSnapshots
from kaicep.pipeline.flow import BatchResult
from kaicep.pipeline.flow.rules import CALLS, order_columns
from kaicep.pipeline.flow.rules.action_calls import FiringOrder
from support.living import IN_OFFICES, archive_of, batch, project
from support.receivers import calls_table, eventually

LAST = 4


class _KillError(BaseException):
    pass


class _Receiver:
    """Notes what it is given, and which batches were done by then."""

    batch = 1
    needs = frozenset[str]()

    def __init__(self, seen: list[tuple[str, int]], done: Callable[[], int]) -> None:
        self._seen, self._done = seen, done

    def check(self) -> None:
        pass

    def send(self, calls: list[ActionCall]) -> None:
        self._seen += [(call.id, self._done()) for call in calls]

    def close(self) -> None:
        pass


@contextmanager
def engine(folder: Path, seen: list[tuple[str, int]]) -> Iterator[tuple[CheckpointedFlow, CallDelivery]]:
    """An engine without Spark of whose batches each calls twice."""
    asked = project(folder, archive=True)
    archive: Archive = archive_of(asked)
    holder: list[CheckpointedFlow] = []
    settings = ActionSettings.model_validate({"python": "m:f"})
    make = lambda: _Receiver(seen, lambda: holder[0].done)  # noqa: E731 - needs the list
    calls = CallDelivery(folder / "outbox", {"ops": Receiver(settings, make)}, CALLS)  # type: ignore[arg-type]
    flow = CheckpointedFlow(asked, folder / "state", (), archive, outbox=calls)
    holder.append(flow)
    flow.queries.submit(asked.registrations(IN_OFFICES, "offices"))
    try:
        yield flow, calls
    finally:
        flow.close()
        archive.close()


def called(number: int) -> pa.Table:
    """The calls of a batch, as rules hand them over."""
    table = calls_table([10 * number, 10 * number + 1])
    order = FiringOrder(deferred=False, stream=0, row="", priority=1, rule=0, action=0)
    for name, column in order_columns(order, pa.chunked_array([["0", "1"]])).items():
        table = table.append_column(name, column)
    return table


STEPS: list[tuple[type, str, bool]] = [
    (Outbox, "put", False),
    (Outbox, "put", True),
    (OperatorSnapshots, "write", True),
    (BatchJournal, "finish", True),
    (Outbox, "release", False),
    (Outbox, "take", True),
    (Outbox, "acknowledge", False),
    (Outbox, "acknowledge", True),
]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # a thread is killed, too
@pytest.mark.parametrize(("owner", "method", "after"), STEPS)
@pytest.mark.parametrize("at", [1, 3])
def test_each_call_is_made_and_none_too_early(
    owner: type, method: str, *, after: bool, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int]] = []
    number = [0]
    rows = BatchResult.rows

    def with_calls(self: BatchResult) -> Iterator[Any]:
        yield from rows(self)
        if not self.called and number[0]:
            self.called.append(called(number[0]))

    monkeypatch.setattr(BatchResult, "rows", with_calls)
    plain, armed = getattr(owner, method), [True]

    def killed(self: object, *args: Any, **more: Any) -> Any:
        mine = armed[0] and number[0] >= at
        if mine and not after:
            armed[0] = False
            raise _KillError
        found = plain(self, *args, **more)
        if mine:
            armed[0] = False
            raise _KillError
        return found

    monkeypatch.setattr(owner, method, killed)
    done = 0
    while done < LAST:
        with engine(tmp_path, seen) as (flow, calls):
            try:
                calls.release(flow.done)
                for number[0] in range(flow.done + 1, LAST + 1):
                    flow.run(number[0], batch(number[0]))
                assert eventually(lambda: not armed[0] or calls.counts()["ops"].waiting == 0)
            except _KillError:
                pass
            done = flow.done
            number[0] = 0
    with engine(tmp_path, seen) as (flow, calls):
        calls.release(flow.done)
        assert eventually(lambda: calls.counts()["ops"].waiting == 0)
        calls.close()
    ids = [call for call, _ in seen]
    assert list(dict.fromkeys(ids)) == [f"r-{10 * n + i}" for n in range(1, LAST + 1) for i in (0, 1)]
    assert all(int(call.removeprefix("r-")) // 10 <= known for call, known in seen)
    assert len(ids) - len(set(ids)) <= 1
