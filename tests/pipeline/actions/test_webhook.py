"""Webhooks, against a real web server."""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO

import pytest
from kaicep.errors import ConfigError
from kaicep.pipeline.actions import DeliveryError
from support.receivers import WebReceiver, action, call, web_receiver


@pytest.fixture
def receiver() -> Iterator[WebReceiver]:
    with web_receiver() as found:
        yield found


def test_a_call_is_posted_with_its_key(receiver: WebReceiver, tmp_path: Path) -> None:
    action(tmp_path, webhook={"url": receiver.url + "alarm"}).send([call(7, "räum/1", room="B 1", co2=1200)])
    [request] = receiver.requests
    assert request.path == "/alarm"
    assert request.headers["Idempotency-Key"] == "r%C3%A4um%2F1/r%C3%A4um%2F1-7"
    assert "webhook-signature" not in request.headers
    assert request.calls == [
        {
            "_id": "räum/1-7",
            "rule": "räum/1",
            "action": "ops",
            "_time": "2026-01-01T00:00:00Z",
            "arguments": {"room": "B 1", "co2": 1200},
        }
    ]


def test_many_go_in_one_request(receiver: WebReceiver, tmp_path: Path) -> None:
    hook = action(tmp_path, webhook={"url": receiver.url, "batch": 500})
    assert hook.batch == 500
    hook.send([call(n) for n in range(3)])
    hook.send([call(3)])
    assert receiver.ids() == ["r-0", "r-1", "r-2", "r-3"]
    assert [request.body[:1] for request in receiver.requests] == [b"[", b"["]
    assert len({request.headers["Idempotency-Key"] for request in receiver.requests}) == 2


def test_requests_are_signed(receiver: WebReceiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a receiver verifies it that knows Standard Webhooks, of which only the secret is shared."""
    key = b"0123456789abcdef01234567"
    monkeypatch.setenv("HOOK_SECRET", "whsec_" + base64.b64encode(key).decode())
    action(tmp_path, webhook={"url": receiver.url, "secret": "env:HOOK_SECRET"}).send([call()])
    [request] = receiver.requests
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{expected}"
    assert request.headers["webhook-id"] == request.headers["Idempotency-Key"]
    assert abs(int(request.headers["webhook-timestamp"]) - datetime.now(UTC).timestamp()) < 60


def test_headers_and_addresses_may_be_secrets(
    receiver: WebReceiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "token").write_text("Bearer hush\n")
    monkeypatch.setenv("HOOK", receiver.url + "hidden")
    action(tmp_path, webhook={"url": "env:HOOK", "headers": {"Authorization": "file:token", "X-A": "b"}}).send([call()])
    [request] = receiver.requests
    assert (request.path, request.headers["Authorization"], request.headers["X-A"]) == ("/hidden", "Bearer hush", "b")


@pytest.mark.parametrize(
    ("answer", "refused", "after"),
    [
        ((500, {}), False, None),
        ((503, {"Retry-After": "7"}), False, 7.0),
        ((429, {"Retry-After": "3"}), False, 3.0),
        ((429, {"Retry-After": "soon"}), False, None),
        ((400, {}), True, None),
        ((302, {"Location": "http://127.0.0.1:9/"}), True, None),
    ],
)
def test_what_is_not_taken_says_why(
    receiver: WebReceiver, tmp_path: Path, answer: tuple[int, dict[str, str]], refused: bool, after: float | None
) -> None:
    receiver.answer = lambda _: answer
    with pytest.raises(DeliveryError) as caught:
        action(tmp_path, webhook={"url": receiver.url}).send([call()])
    assert caught.value.reason == f"the receiver answers {answer[0]}"
    assert (caught.value.refused, caught.value.after, caught.value.delivered) == (refused, after, 0)


def test_retry_after_may_be_a_date(receiver: WebReceiver, tmp_path: Path) -> None:
    then = datetime.now(UTC) + timedelta(seconds=90)
    receiver.answer = lambda _: (429, {"Retry-After": format_datetime(then, usegmt=True)})
    with pytest.raises(DeliveryError) as caught:
        action(tmp_path, webhook={"url": receiver.url}).send([call()])
    assert caught.value.after is not None
    assert 80 < caught.value.after <= 90


def test_nobody_there(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(DeliveryError, match="cannot be reached"):
            action(tmp_path, webhook={"url": f"http://127.0.0.1:{taken.getsockname()[1]}/?key=hush"}).send([call()])


def test_one_that_never_answers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And nothing of the address, which may be a secret, is said or logged."""
    caplog.set_level(logging.DEBUG, "kaicep")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/?key=hush"
        with pytest.raises(DeliveryError) as caught:
            action(tmp_path, webhook={"url": url}, timeout="100ms").send([call()])
    assert caught.value.reason == "the receiver does not answer in time"
    assert "hush" not in caplog.text + str(caught.value)


def test_a_secret_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPTY", "whsec_")
    with pytest.raises(ConfigError, match=r"actions.ops.webhook.secret: what it names is empty"):
        action(tmp_path, webhook={"url": "http://ops/", "secret": "env:EMPTY"})
    with pytest.raises(ConfigError, match=r"actions.ops.webhook.url: what it names is no address"):
        action(tmp_path, webhook={"url": "env:EMPTY"})


def _head(requests: BinaryIO) -> bytes:
    """Up to the empty line, or the end."""
    lines = iter(requests.readline, b"\r\n")
    return b"".join(takewhile(bool, lines))


@contextmanager
def answering(*pieces: bytes, times: int = 1) -> Iterator[tuple[str, list[int]]]:
    """A web server that sends some bytes, the last ones so often; and by connection, how often somebody took them."""
    taken: list[int] = []

    def answer() -> None:
        connection, _ = server.accept()
        taken.append(0)
        with suppress(OSError), connection.makefile("rb") as requests:
            while head := _head(requests):
                requests.read(int(head.lower().partition(b"content-length:")[2].split()[0]))
                for piece in pieces:
                    connection.sendall(piece)
                for _ in range(times - 1):
                    connection.sendall(pieces[-1])
                    taken[-1] += 1
                if times > 1:
                    break
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/", taken
        thread.join()


def test_of_an_answer_no_more_is_read_than_its_status_says(tmp_path: Path) -> None:
    """A page without end, where somebody has written a wrong address, would fill the memory."""
    with answering(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 1_000_000, times=200) as (url, taken):
        sink = action(tmp_path, webhook={"url": url}, timeout="20s")
        sink.send([call()])
        sink.close()
    assert taken[0] < 50


def test_an_answer_that_breaks_off_behind_its_status_is_one(tmp_path: Path) -> None:
    with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n", b"abc", times=2) as (url, _):
        sink = action(tmp_path, webhook={"url": url})
        sink.send([call()])
        sink.close()


def test_a_connection_is_used_again(tmp_path: Path) -> None:
    with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello") as (url, taken):
        sink = action(tmp_path, webhook={"url": url})
        sink.send([call(1)])
        sink.send([call(2)])
        sink.close()
    assert len(taken) == 1
