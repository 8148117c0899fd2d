"""A request tells how far it is; it is withdrawn, or it is done: never both, and never neither."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.control.asked_request import AskedRequest, hear, withdraw
from kaicep.pipeline.control.requests import Requests, RequestServer
from kaicep.storage import SETTLED
from support.command_line import HANGING_SECONDS

OURS = os.getpid()


@pytest.fixture
def taken(tmp_path: Path) -> Path:
    """A request of this process that an engine has taken."""
    file = tmp_path / f"17-{OURS}.taken"
    file.touch()
    return file


def test_what_is_told_is_heard_once(taken: Path) -> None:
    asked, told = AskedRequest(taken), list[tuple[str, float]]()
    request, heard = taken.with_suffix(".request"), ("", 0.0)
    for stage, share in (("reasoning", 0.0), ("reasoning", 0.0), ("keeping", 0.35)):
        asked.tell(stage, share)
        heard = hear(request, heard, lambda *at: told.append(at))
    assert told == [("reasoning", 0.0), ("keeping", 0.35)]


def test_what_is_withdrawn_is_not_done(taken: Path) -> None:
    asked = AskedRequest(taken)
    asked.tell("reasoning", 0.0)
    assert withdraw(taken.parent, OURS)
    for stage in ("reasoning", SETTLED):
        with pytest.raises(PipelineError, match="nobody waits for it any more: nothing has changed"):
            asked.tell(stage, 0.0)


def test_what_is_done_cannot_be_withdrawn(taken: Path) -> None:
    asked = AskedRequest(taken)
    asked.tell(SETTLED, 0.0)
    asked.tell(SETTLED, 0.0)
    assert not withdraw(taken.parent, OURS)


def test_what_waits_to_be_taken_is_withdrawn_as_well(tmp_path: Path) -> None:
    (tmp_path / f"17-{OURS}.request").touch()
    (tmp_path / "18-1.request").touch()
    assert withdraw(tmp_path, OURS)
    assert [file.name for file in tmp_path.iterdir()] == ["18-1.request"]


def test_whoever_was_killed_waits_no_more(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait(HANGING_SECONDS)
    for stage in ("reasoning", SETTLED):
        taken = tmp_path / f"17-{gone.pid}.taken"
        taken.touch()
        with pytest.raises(PipelineError, match="nobody waits for it any more"):
            AskedRequest(taken).tell(stage, 0.0)


def test_whoever_asks_hears_it_until_the_answer(tmp_path: Path) -> None:
    requests, told = Requests(tmp_path), list[tuple[str, float]]()
    requests.serve()
    heard = {stage: threading.Event() for stage in ("reasoning", SETTLED)}

    def answer(content: Mapping[str, Any], asked: AskedRequest) -> object:
        for stage, event in heard.items():
            asked.tell(stage, 0.0)
            assert event.wait(HANGING_SECONDS)
        return [*content]

    def hear_of(stage: str, share: float) -> None:
        told.append((stage, share))
        heard[stage].set()

    server = RequestServer(requests, answer, "test")
    assert Requests(tmp_path).ask({"add": 1}, HANGING_SECONDS, hear_of) == ["add"]
    server.close()
    assert told == [("reasoning", 0.0), (SETTLED, 0.0)]
    assert list((tmp_path / "requests").iterdir()) == []


def test_whoever_is_interrupted_withdraws_what_was_asked(tmp_path: Path) -> None:
    """As by Ctrl-C: the engine finds nobody who waits, and does not do it."""
    requests, refused = Requests(tmp_path), threading.Event()
    requests.serve()

    def answer(_: Mapping[str, Any], asked: AskedRequest) -> object:
        asked.tell("reasoning", 0.0)
        while True:
            try:
                asked.tell("reasoning", 0.0)
            except PipelineError as error:
                refused.set()
                return error

    def interrupt(stage: str, share: float) -> None:
        raise KeyboardInterrupt

    server = RequestServer(requests, answer, "test")
    with pytest.raises(KeyboardInterrupt):
        Requests(tmp_path).ask({"add": 1}, HANGING_SECONDS, interrupt)
    assert refused.wait(HANGING_SECONDS)
    server.close()
    assert list((tmp_path / "requests").iterdir()) == []
