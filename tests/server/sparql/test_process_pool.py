"""Who comes first is answered first; nobody waits longer than an answer may take."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from kaicep.server.problem import ProblemError
from kaicep.server.sparql.process_pool import ProcessPool
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
    wait_for(pool._free.empty)
    with pytest.raises(ProblemError, match="all processes that answer are at work") as busy:
        pool.call(folder, 0.05, count)
    assert (busy.value.status, busy.value.headers) == (503, {"Retry-After": "5"})
    thread.join()
    assert [problem.status for problem in slow] == [503]
    assert pool.call(folder, 30, count) == 0
