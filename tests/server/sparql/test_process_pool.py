"""No client has all processes; nobody waits longer than an answer may take."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from kaicep.server.access import ClientIdentity, current_client
from kaicep.server.problem import ProblemError
from kaicep.server.sparql import process_pool
from kaicep.server.sparql.process_pool import ProcessPool
from kaicep.server.sparql.store_process import TimeLimitError
from support.command_line import wait_for
from support.stores import count, sleep


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    pool = ProcessPool(1, writable=True)
    pool.start()
    yield pool
    pool.close()


def test_the_second_one_waits(pool: ProcessPool, folder: Path) -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(pool.call(folder, 30, count))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [0, 0, 0, 0, 0]


def test_nobody_waits_for_ever(pool: ProcessPool, folder: Path) -> None:
    """And who was too long at work makes room."""
    slow: list[ProblemError] = []

    def take_long() -> None:
        try:
            pool.call(folder, 1.5, sleep, 60.0)
        except ProblemError as problem:
            slow.append(problem)

    thread = threading.Thread(target=take_long)
    thread.start()
    wait_for(lambda: not pool._free)
    with pytest.raises(ProblemError, match="no process that answers was free for 0 s") as busy:
        pool.call(folder, 0.05, count)
    assert (busy.value.status, busy.value.headers) == (503, {"Retry-After": "5"})
    thread.join()
    assert [problem.status for problem in slow] == [503]
    assert pool.call(folder, 30, count) == 0


class Here:
    """A process that is none: it does what it is asked in the thread that asks."""

    def __init__(self, **_: object) -> None:
        """As the real one."""
        self.opened: list[object] = []
        self.runs = self.spent = False

    def start(self) -> None:
        """It is there."""
        self.runs, self.spent = True, False

    def open(self, folder: object, _: float) -> None:
        self.opened.append(folder)

    def call(self, folder: object, _: float, do: Any, *args: Any) -> Any:
        self.opened.append(folder)
        return do(ox.Store(), *args)


def test_one_that_gives_way_for_good_is_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool, "StoreProcess", Here)
    pool = ProcessPool(1)
    process: Any = pool._free[-1]
    process.spent = True
    assert pool.call(None, 60, len) == 0
    wait_for(lambda: not process.spent and process in pool._free)


def test_no_client_has_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose queries take long is waited for by nobody else; of those who wait, who has the fewest comes first."""
    monkeypatch.setattr(process_pool, "StoreProcess", Here)
    pool, go, order = ProcessPool(2), threading.Event(), list[str]()

    def ask(name: str, *, slow: bool) -> threading.Thread:
        def asking() -> None:
            current_client.set(ClientIdentity(name, "read"))
            pool.call(None, 60, lambda _: go.wait(60) if slow else order.append(name))

        thread = threading.Thread(target=asking)
        thread.start()
        return thread

    greedy = [ask("greedy", slow=True) for _ in range(5)]
    wait_for(lambda: pool._at_work["greedy"] == 2)
    ask("other", slow=False).join(20)
    assert (order, pool._at_work["greedy"], len(pool._free)) == (["other"], 2, 1)
    go.set()
    for thread in greedy:
        thread.join(20)
    assert (len(pool._free), dict(pool._at_work), pool._waiting) == (3, {}, {})


def test_processes_that_have_nothing_to_do_open_a_store_ahead(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """One that is at work is left to it, one that nobody has needed is not begun, and whoever asks waits for none."""
    monkeypatch.setattr(process_pool, "StoreProcess", Here)
    pool, go = ProcessPool(3), threading.Event()
    pool.start()
    thread = threading.Thread(target=lambda: pool.call(None, 60, lambda _: go.wait(60)))
    thread.start()
    wait_for(lambda: len(pool._free) == 3)
    pool.open_ahead(folder, 60)
    opened = [process.opened for process in pool._all]  # type: ignore[attr-defined]  # they are none
    assert sorted(map(len, opened)) == [0, 1, 1, 1]
    assert sum(one == [folder] for one in opened) == 2
    assert [None] in opened
    go.set()
    thread.join(20)
    assert (len(pool._free), dict(pool._at_work)) == (4, {})


def test_one_that_cannot_open_a_store_ahead_is_begun_anew(pool: ProcessPool, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    pool.open_ahead(tmp_path / "file", 30)
    assert pool.call(tmp_path / "store", 30, count) == 0


def test_of_a_change_that_is_given_up_nobody_knows_whether_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_pool, "StoreProcess", Here)
    pool = ProcessPool(1)

    def long(_: ox.Store) -> None:
        raise TimeLimitError(503, "no answer within 20 s")

    with pytest.raises(ProblemError, match="not done within 20 s; a running engine may do it yet") as given_up:
        pool.change(20, long)
    assert given_up.value.status == 503
    assert "let upload_timeout be longer" in str(given_up.value)
    assert not pool._changing.locked()
