"""Calls on their way from a batch to a real web server, which may be away, busy or fussy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep.config import Settings
from kaicep.pipeline.actions import CallDelivery, receivers_of
from kaicep.pipeline.flow.rules import CALLS
from support.receivers import Request, WebReceiver, calls_table, eventually, web_receiver


@pytest.fixture
def receiver() -> Iterator[WebReceiver]:
    with web_receiver() as found:
        yield found


@contextmanager
def delivery(folder: Path, **actions: Any) -> Iterator[CallDelivery]:
    settings = Settings.parse({"actions": actions}, root=folder)
    found = CallDelivery(folder / "outbox", receivers_of(settings), CALLS)
    try:
        yield found
    finally:
        found.close()


def hook(url: str, batch: int = 1, **settings: Any) -> dict[str, Any]:
    return {"webhook": {"url": url, "batch": batch}, "backoff": "20ms", "timeout": "2s", **settings}


def do(calls: CallDelivery, batch: int, table: pa.Table) -> None:
    calls.put(batch, table)
    calls.release(batch)


def test_calls_arrive_in_order_and_once(receiver: WebReceiver, tmp_path: Path) -> None:
    with delivery(tmp_path, ops=hook(receiver.url)) as calls:
        for batch in range(1, 4):
            do(calls, batch, calls_table(range(10 * batch, 10 * batch + 10)))
    assert receiver.ids() == [f"r-{n}" for n in range(10, 40)]


def test_what_failed_is_tried_again_in_order(receiver: WebReceiver, tmp_path: Path) -> None:
    answers: Iterator[tuple[int, dict[str, str]]] = iter([(500, {}), (503, {}), (200, {}), (500, {})])
    receiver.answer = lambda _: next(answers, (200, {}))
    with delivery(tmp_path, ops=hook(receiver.url)) as calls:
        do(calls, 1, calls_table([1, 2, 3]))
        assert eventually(lambda: len(receiver.requests) == 3)
    assert receiver.ids() == ["r-1", "r-2", "r-3"]


def test_one_that_is_refused_is_a_dead_letter_alone_and_can_be_retried(receiver: WebReceiver, tmp_path: Path) -> None:
    def answer(request: Request) -> tuple[int, dict[str, str]]:
        return (400, {}) if any(call["_id"] == "r-37" for call in request.calls) else (200, {})

    receiver.answer = answer
    with delivery(tmp_path, ops=hook(receiver.url, batch=100, tries=3)) as calls:
        do(calls, 1, calls_table(range(100)))
        assert eventually(lambda: calls.counts()["ops"].failed == 1 and not calls.counts()["ops"].waiting)
        assert receiver.ids() == [f"r-{n}" for n in range(100) if n != 37]
        [failed] = calls.failed()
        assert (failed.id, failed.tries, failed.reason) == ("r-37", 3, "the receiver answers 400")
        receiver.answer = lambda _: (200, {})
        assert calls.retry("other") == 0
        assert calls.retry("ops") == 1
        assert eventually(lambda: receiver.ids()[-1] == "r-37")


def test_a_dead_receiver_holds_up_nobody(receiver: WebReceiver, tmp_path: Path) -> None:
    dead = hook("http://127.0.0.1:9/", backoff="1h")
    with delivery(tmp_path, ops=hook(receiver.url), dead=dead) as calls:
        do(calls, 1, calls_table([1], action="dead"))
        do(calls, 2, calls_table([2]))
        assert eventually(lambda: receiver.ids() == ["r-2"])
        assert eventually(lambda: calls.counts()["dead"].reason == "the receiver cannot be reached")
        assert calls.counts()["dead"].waiting == 1
    with web_receiver() as alive, delivery(tmp_path, ops=hook(receiver.url), dead=hook(alive.url)) as calls:
        calls.release(2)
        assert eventually(lambda: alive.ids() == ["r-1"])
    assert receiver.ids() == ["r-2"]


def test_a_busy_receiver_is_left_alone(receiver: WebReceiver, tmp_path: Path) -> None:
    answers = iter([(429, {"Retry-After": "1"})])
    receiver.answer = lambda _: next(answers, (200, {}))
    began = time.monotonic()
    with delivery(tmp_path, ops=hook(receiver.url, tries=1)) as calls:
        do(calls, 1, calls_table([1]))
        assert eventually(lambda: receiver.ids() == ["r-1"])
    assert time.monotonic() - began >= 1


def test_calls_of_an_action_that_is_gone_wait(receiver: WebReceiver, tmp_path: Path) -> None:
    """Those of a sink likewise."""
    again = "any more: what waits goes out when it is there again"
    with delivery(tmp_path, ops=hook("http://127.0.0.1:9/", backoff="1h")) as calls:
        do(calls, 1, pa.concat_tables([calls_table([1]), calls_table([2], action="sinks.base")]))
    with delivery(tmp_path) as calls:
        calls.release(1)
        assert calls.counts()["ops"].waiting == 1
        assert calls.counts()["ops"].reason == f"the project has no [actions.ops] {again}"
        assert calls.counts()["sinks.base"].reason == f"the project has no [sinks.base] {again}"
    with delivery(tmp_path, ops=hook(receiver.url)) as calls:
        calls.release(1)
    assert receiver.ids() == ["r-1"]


def test_many_calls_a_second(receiver: WebReceiver, tmp_path: Path) -> None:
    receiver.answer = lambda _: (time.sleep(0.001), (200, {}))[1]  # type: ignore[func-returns-value]
    with delivery(tmp_path, ops=hook(receiver.url, batch=500)) as calls:
        table, began = calls_table(range(50_000)), time.monotonic()
        do(calls, 1, table)
        assert eventually(lambda: calls.counts()["ops"].waiting == 0)
        assert time.monotonic() - began < 20  # about a second where nothing else runs
    assert receiver.ids() == [f"r-{n}" for n in range(50_000)]
