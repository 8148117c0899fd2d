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
from typing import Any

import pytest
from support.receivers import Request, web_receiver

from reliability.calling_engine import BATCHES, EXPECTED, batch_of

TESTS = Path(__file__).parents[1]
PATIENCE_S = 120.0
Call = Mapping[str, Any]


def start(folder: Path, url: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    words = [sys.executable, "-m", "reliability.calling_engine", str(folder), url]
    return subprocess.Popen(words, env={**os.environ, "PYTHONPATH": path})


def durable(folder: Path) -> int:
    """The last batch of which there is a snapshot."""
    return max((int(path.stem) for path in (folder / "var/state/snapshots").glob("*.snapshot")), default=0)


def survive(folder: Path, kills: int, seed: int) -> tuple[Mapping[tuple[str, str], Call], int]:
    """Kill an engine so many times, at a call or soon after, or at any moment.

    Returns:
        what a receiver that honours keys was told, in order, by rule and id; and how many calls came again.
    """
    source = random.Random(seed)
    taken: dict[tuple[str, str], Call] = {}
    again, wrong = 0, list[object]()
    until = source.randrange(1, 8)
    dying = threading.Event()

    def answer(request: Request) -> tuple[int, Mapping[str, str]]:
        nonlocal until, again
        busy = source.random() < 0.05
        for call in request.calls:
            if not busy:
                key = call["rule"], call["_id"]
                again += key in taken
                wrong.extend([call] if taken.setdefault(key, call) != call else [])
            if durable(folder) < batch_of(call):
                wrong.append(call)
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
            patience = source.choice([PATIENCE_S, source.uniform(0.0, 4.0)])
            ends = time.monotonic() + patience
            while not dying.wait(0.02) and process.poll() is None and time.monotonic() < ends:
                pass
            time.sleep(source.choice([0.0, 0.0, 0.01, 0.1]))
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE_S)
        assert start(folder, receiver.url).wait(PATIENCE_S) == 0
    assert wrong == []  # told too early, or not what was told under the key before
    return taken, again


@pytest.mark.parametrize("kills", [1, pytest.param(30, marks=[pytest.mark.long, pytest.mark.reliability])])
def test_an_engine_that_is_killed_makes_every_call(
    kills: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    taken, again = survive(tmp_path, kills, seed=15)
    told: dict[str, list[tuple[int, object]]] = {}
    for (rule, _), call in taken.items():
        told.setdefault(rule, []).append((batch_of(call), *call["arguments"].values()))
    batches = range(1, BATCHES + 1)
    assert told == {rule: [(batch, said) for batch in batches for said in of] for rule, of in EXPECTED.items()}
    record_property("calls that came a second time, with the same key", again)
