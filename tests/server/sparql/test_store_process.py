"""A process does one thing after the other; what takes too long is ended, and has not happened."""

from __future__ import annotations

import math
import os
import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe
from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.server.problem import ProblemError
from kaicep.server.sparql import store_process
from kaicep.server.sparql.store_process import StoreProcess
from support.stores import add, count, end, priority, refuse, sleep


@pytest.fixture(scope="module")
def process() -> Iterator[StoreProcess]:
    process = StoreProcess(writable=True)
    process.start()
    yield process
    process.close()


def test_it_keeps_what_it_writes(process: StoreProcess, folder: Path, tmp_path: Path) -> None:
    assert process.call(folder, 30, add) == 1
    assert process.call(folder, 30, add) == 1
    assert process.call(tmp_path / "other", 30, count) == 0
    assert process.call(folder, 30, count) == 1


def test_it_has_the_store_of_before_open_beside_the_next_one(tmp_path: Path) -> None:
    """The copy before is asked until all have opened the next one; what is older takes no more space."""
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        ox.Store(folder).flush()
    process = StoreProcess()
    for folder in folders[:2]:
        assert process.call(folder, 30, count) == 0
    shutil.rmtree(folders[0])
    assert process.call(folders[0], 30, count) == 0
    assert process.call(folders[2], 30, count) == 0
    shutil.rmtree(folders[1])
    with pytest.raises(ProblemError, match="the store does not answer"):
        process.call(folders[1], 30, count)
    process.close()


def test_it_ends_without_a_word_when_who_asks_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before that has read an answer: the connection is reset then."""
    monkeypatch.setattr(store_process, "serve_parent", lambda **_: None)
    own, theirs = Pipe()
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(store_process.main, os.dup(theirs.fileno()))
        assert own.poll(30)
        theirs.close()
        own.close()  # with its first word unread
        working.result(30)


def test_what_it_refuses_is_told(process: StoreProcess, folder: Path) -> None:
    with pytest.raises(ProblemError) as no_query:
        process.call(folder, 30, refuse, problem=False)
    error = no_query.value.error
    assert (no_query.value.status, error.message, error.hint) == (400, "this is no query", "write one")
    with pytest.raises(ProblemError) as no_form:
        process.call(folder, 30, refuse, problem=True)
    assert no_form.value.status == 406


def test_what_takes_too_long_is_ended_and_the_next_one_answered(process: StoreProcess, folder: Path) -> None:
    began = time.monotonic()
    with pytest.raises(ProblemError, match=r"no answer within 0\.3 s") as slow:
        process.call(folder, 0.3, add, hang=True)
    assert slow.value.status == 503
    assert time.monotonic() - began < 30
    assert process.call(folder, 30, count) == 1


def test_one_that_ends_is_told_and_begun_again(process: StoreProcess, folder: Path) -> None:
    with pytest.raises(ProblemError, match="the process that answers has ended") as ended:
        process.call(folder, 30, end)
    assert ended.value.status == 503
    assert process.call(folder, 30, count) == 0


def test_a_defect_is_told_as_one_and_the_next_one_answered(process: StoreProcess, folder: Path) -> None:
    """What it is stands in the log alone."""
    with pytest.raises(ProblemError, match="the server has a defect") as defect:
        process.call(folder, 30, math.sqrt)  # type: ignore[arg-type]
    assert defect.value.status == 500
    assert process.call(folder, 30, count) == 0


def test_it_is_closed_while_somebody_waits(folder: Path) -> None:
    """Who waits hears of it, and nothing is begun again."""
    process = StoreProcess(writable=True)
    process.start()
    said: list[str] = []

    def wait() -> None:
        try:
            process.call(folder, 60, sleep, 60.0)
        except ProblemError as problem:
            said.append(problem.error.message)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.1)
    process.close()
    thread.join()
    assert said == ["the process that answers has ended: it needs too much memory, or was stopped"]
    with pytest.raises(ProblemError, match="the server ends"):
        process.start()


def test_what_is_to_be_prompt_gives_way_once_it_takes_long(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that gives way cannot be otherwise again: the next question has another one."""
    monkeypatch.setattr(store_process, "_PROMPT_S", 0.2)
    process, own = StoreProcess(writable=True, prompt=True), os.getpriority(os.PRIO_PROCESS, 0)
    assert process.call(folder, 30, priority) == own
    assert process.call(folder, 30, priority, after=1.0) == min(19, own + 5)
    assert process.spent
    process.start()
    assert not process.spent
    assert process.call(folder, 30, priority) == own
    process.close()
    others = StoreProcess(writable=True)
    assert others.call(folder, 30, priority) == min(19, own + 5)
    others.close()


def test_to_open_a_store_ahead_for_long_is_no_question_that_takes_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a store that is slow to open would be opened anew for each question."""
    ox.Store(folder).flush()
    process = StoreProcess(prompt=True)
    process.start()
    monkeypatch.setattr(store_process, "_PROMPT_S", 0.0)
    process.open(folder, 30)
    assert not process.spent
    assert process.call(folder, 30, count) == 0
    process.close()


def test_what_it_does_first_takes_no_time_of_who_asks(folder: Path) -> None:
    process = StoreProcess(writable=True, first=(sleep, 0.5))
    began = time.monotonic()
    process.start()
    assert time.monotonic() - began >= 0.5
    assert process.call(folder, 30, add) == 1
    process.close()
