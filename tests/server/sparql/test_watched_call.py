"""A call is heard of while it is done; it is given up, and nothing has happened, or it is finished."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.server.problem import ProblemError
from kaicep.server.sparql import process_pool, store_process
from kaicep.server.sparql.process_pool import ProcessPool
from kaicep.server.sparql.store_process import StoreProcess, TimeLimitError
from kaicep.server.sparql.watched_call import WatchedCall
from kaicep.storage import SETTLED, ChildProcess
from support.command_line import HANGING_SECONDS, wait_for
from support.stores import add_in_stages, count

LONG_S = 60.0


@pytest.fixture(scope="module")
def process() -> Iterator[StoreProcess]:
    process = StoreProcess(writable=True)
    process.start()
    yield process
    process.close()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as found:
        yield found


class Heard:
    """A call that has been heard of, up to a stage."""

    def __init__(self, stage: str) -> None:
        self.told = list[tuple[str, float]]()
        self._stage, self._reached = stage, threading.Event()
        self.watch = WatchedCall(self._hear)

    def _hear(self, stage: str, share: float) -> None:
        self.told.append((stage, share))
        if stage == self._stage:
            self._reached.set()

    def wait(self) -> None:
        assert self._reached.wait(HANGING_SECONDS)


def refusal(of: Future[int]) -> str:
    with pytest.raises(ProblemError) as problem:
        of.result(HANGING_SECONDS)
    return problem.value.error.message


def test_what_is_told_is_heard(process: StoreProcess, folder: Path) -> None:
    heard = Heard(SETTLED)
    assert process.call_watched(heard.watch, folder, LONG_S, add_in_stages) == 1
    assert heard.told == [("parsing", 0.5), (SETTLED, 0.0)]
    assert process.call(folder, LONG_S, count) == 1


def test_what_is_given_up_has_not_happened(process: StoreProcess, folder: Path, pool: ThreadPoolExecutor) -> None:
    heard = Heard("parsing")
    done = pool.submit(process.call_watched, heard.watch, folder, LONG_S, add_in_stages, before=LONG_S)
    heard.wait()
    assert heard.watch.cancel()
    assert refusal(done) == "it was cancelled"
    assert heard.watch.cancel()
    assert process.call(folder, LONG_S, count) == 0


def test_what_changes_something_is_finished(process: StoreProcess, folder: Path, pool: ThreadPoolExecutor) -> None:
    heard = Heard(SETTLED)
    done = pool.submit(process.call_watched, heard.watch, folder, LONG_S, add_in_stages, after=0.5)
    heard.wait()
    assert not heard.watch.cancel()
    assert done.result(HANGING_SECONDS) == 1
    assert not heard.watch.cancelled


def test_what_takes_too_long_before_it_changes_something_has_not_happened(process: StoreProcess, folder: Path) -> None:
    watch = WatchedCall()
    with pytest.raises(TimeLimitError):
        process.call_watched(watch, folder, 0.5, add_in_stages, before=LONG_S)
    assert watch.cancelled
    assert process.call(folder, LONG_S, count) == 0


def test_what_has_begun_to_change_something_is_waited_for(process: StoreProcess, folder: Path) -> None:
    assert process.call_watched(WatchedCall(), folder, 0.5, add_in_stages, after=2.0) == 1


def test_but_not_for_ever(process: StoreProcess, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_process, "_SETTLING_S", 0.5)
    watch = WatchedCall()
    with pytest.raises(TimeLimitError):
        process.call_watched(watch, folder, 0.5, add_in_stages, after=LONG_S)
    assert not watch.cancelled


@pytest.mark.parametrize("withdrawn", [True, False])
def test_what_it_has_asked_of_others_is_withdrawn(
    process: StoreProcess, folder: Path, pool: ThreadPoolExecutor, *, withdrawn: bool
) -> None:
    """Its process stands still meanwhile; where others do it already, it goes on, and hears of it."""
    heard, states = Heard("parsing"), list[str]()

    def withdraw(number: int) -> bool:
        states.append(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0])
        return withdrawn

    heard.watch.withdraw = withdraw
    wait = LONG_S if withdrawn else 1.0
    done = pool.submit(process.call_watched, heard.watch, folder, LONG_S, add_in_stages, before=wait)
    heard.wait()
    assert heard.watch.cancel() == withdrawn
    assert states == ["T"]
    if withdrawn:
        assert refusal(done) == "it was cancelled"
    else:
        assert done.result(HANGING_SECONDS) == 1


def test_one_that_nobody_waits_for_is_not_begun(process: StoreProcess, folder: Path) -> None:
    watch = WatchedCall()
    assert watch.cancel()
    with pytest.raises(ProblemError, match="it was cancelled"):
        process.call_watched(watch, folder, LONG_S, add_in_stages)
    assert process.call(folder, LONG_S, count) == 0


def test_nothing_changes_when_who_asks_was_killed(folder: Path) -> None:
    """Before it has given its word: the process ends without any of it."""
    child = ChildProcess(store_process._words)
    own = child.connection
    own.recv()
    own.send((folder, True, add_in_stages, (), {}, True))
    assert [own.recv()[1][0] for _ in range(2)] == ["parsing", SETTLED]
    own.close()
    wait_for(lambda: not child.runs)
    assert len(ox.Store(folder)) == 0


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessPool]:
    monkeypatch.setattr(process_pool, "_LOOK_S", 0.05)
    found = ProcessPool(2)
    yield found
    found.close()


def test_a_change_waits_for_another_one_and_may_be_given_up_meanwhile(
    changes: ProcessPool, pool: ThreadPoolExecutor
) -> None:
    waiting = Heard("waiting")
    with changes._changing:
        done = pool.submit(changes.change_watched, waiting.watch, LONG_S, add_in_stages)
        waiting.wait()
        assert waiting.watch.cancel()
        assert refusal(done) == "it was cancelled"
        late = pool.submit(changes.change_watched, WatchedCall(), 0.1, add_in_stages)
        assert refusal(late) == "another change is at work"
    heard = Heard(SETTLED)
    assert changes.change_watched(heard.watch, LONG_S, add_in_stages) == 1
    assert "waiting" not in dict(heard.told)


@pytest.mark.parametrize(
    ("how", "hint"),
    [
        ({"before": LONG_S}, "nothing has changed; let it say less, or let upload_timeout be longer"),
        ({"after": LONG_S}, "see whether it has before you send it again; or let upload_timeout be longer"),
    ],
)
def test_of_a_change_that_takes_too_long_is_told_whether_it_may_have_happened(
    changes: ProcessPool, how: dict[str, float], hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_process, "_SETTLING_S", 0.2)
    do: Callable[..., int] = add_in_stages
    with pytest.raises(ProblemError, match=r"not done within 0\.5 s") as slow:
        changes.change_watched(WatchedCall(), 0.5, do, **how)
    assert slow.value.error.hint == hint
