"""Requests between processes: whole files, each taken once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from kaicep.pipeline.control.requests import Requests, RequestServer, SilentEngineError
from kaicep.storage.atomic_write import write_atomically
from support.command_line import HANGING_SECONDS


def test_a_request_that_is_being_written_is_not_taken(tmp_path: Path) -> None:
    requests = Requests(tmp_path)
    requests.serve()
    request = tmp_path / "requests" / "17-5.request"
    with write_atomically(request) as temporary:
        temporary.touch()
        assert list(requests.waiting()) == []
        temporary.write_text(json.dumps({"remove": "rooms.ttl"}), encoding="utf-8")
    taken = request.with_suffix(".taken")
    assert list(requests.waiting()) == [(taken, {"remove": "rooms.ttl"})]
    assert list(requests.waiting()) == []


def answered(requests: Requests, content: Mapping[str, object]) -> object:
    """What is answered while a server is at work."""
    return requests.ask(content, limit=HANGING_SECONDS)


def test_a_request_that_cannot_be_read_is_set_aside_and_the_next_one_is_answered(tmp_path: Path) -> None:
    requests = Requests(tmp_path)
    requests.serve()
    broken = [tmp_path / "requests" / name for name in ("1-1.request", "2-1.request", "3-1.request")]
    for file, content in zip(broken, (b'{"list": ', b"\xff\xfe", b"[" * 100_000), strict=True):
        file.write_bytes(content)
    server = RequestServer(requests, lambda content, _: [*content], "test")
    assert answered(Requests(tmp_path), {"list": True}) == ["list"]
    server.close()
    for file, content in zip(broken, (b'{"list": ', b"\xff\xfe", b"[" * 100_000), strict=True):
        assert file.with_suffix(".broken").read_bytes() == content
        told = json.loads(file.with_suffix(".answer").read_text())
        assert told["message"].startswith("the request cannot be read: ")
        assert told["hint"] == f"it is kept as {file.stem}.broken"


def test_requests_are_answered_after_an_error_of_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = Requests(tmp_path)
    requests.serve()
    failed = threading.Semaphore(0)
    waiting = Requests.waiting
    left = [OSError("the disk is gone")] * 2

    def unreadable(self: Requests) -> Iterator[tuple[Path, dict[str, Any]]]:
        if left:
            failed.release()
            raise left.pop()
        return waiting(self)

    monkeypatch.setattr(Requests, "waiting", unreadable)
    server = RequestServer(requests, lambda content, _: [*content], "test")
    assert all(failed.acquire(timeout=HANGING_SECONDS) for _ in range(2))
    assert answered(Requests(tmp_path), {"list": True}) == ["list"]
    server.close()


def test_who_asks_does_not_wait_for_ever(tmp_path: Path) -> None:
    """An engine is there that answers nothing."""
    requests = Requests(tmp_path)
    requests.serve()
    said = "the engine has not answered for 0 seconds: see its log; `kaicep queries`"
    with pytest.raises(SilentEngineError, match=said):
        Requests(tmp_path).ask({"list": True}, limit=0)
    assert list((tmp_path / "requests").iterdir()) == []
