"""An engine that is killed at any moment: every call is made, none before its cause is durable, each key once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.receivers import Request, web_receiver

from reliability.calling_engine import BATCHES, OF_EACH, number_of

TESTS = Path(__file__).parents[1]
PATIENCE_S = 120.0


def start(folder: Path, url: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    words = [sys.executable, "-m", "reliability.calling_engine", str(folder), url]
    return subprocess.Popen(words, env={**os.environ, "PYTHONPATH": path})


def durable(folder: Path) -> int:
    """The last batch of which there is a snapshot."""
    return max((int(path.stem) for path in (folder / "var/state/snapshots").glob("*.snapshot")), default=0)


def survive(folder: Path, kills: int, seed: int) -> Mapping[str, int]:
    """Kill an engine so many times, while it hands a call on or soon after; how often each call was taken, in order."""
    source = random.Random(seed)
    taken: dict[str, int] = {}
    early: list[str] = []
    until = source.randrange(1, 8)
    dying = threading.Event()

    def answer(request: Request) -> tuple[int, Mapping[str, str]]:
        nonlocal until
        busy = source.random() < 0.05
        for call in request.calls:
            if not busy:
                taken[call["_id"]] = taken.get(call["_id"], 0) + 1
            if durable(folder) < number_of(call["_id"]):
                early.append(call["_id"])
        until -= 1
        if until == 0:
            dying.set()
        return (503 if busy else 200), {}

    with web_receiver() as receiver:
        receiver.answer = answer
        for _ in range(kills):
            until = source.randrange(1, 4 + BATCHES // kills)
            dying.clear()
            process = start(folder, receiver.url)
            while not dying.wait(0.02) and process.poll() is None:
                pass
            time.sleep(source.choice([0.0, 0.0, 0.01, 0.1]))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE_S)
        assert start(folder, receiver.url).wait(PATIENCE_S) == 0
    assert early == []
    return taken


@pytest.mark.parametrize("kills", [1, pytest.param(30, marks=[pytest.mark.long, pytest.mark.reliability])])
def test_an_engine_that_is_killed_makes_every_call(
    kills: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    taken = survive(tmp_path, kills, seed=15)
    assert list(taken) == [f"r-{10 * batch + place}" for batch in range(1, BATCHES + 1) for place in range(OF_EACH)]
    record_property("calls that came a second time, with the same key", sum(times > 1 for times in taken.values()))
