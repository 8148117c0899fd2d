"""A connection on which no request comes is closed; there are no more than so many."""

from __future__ import annotations

import socket
import time
from urllib.parse import urlsplit

import pytest
from kaicep.config import Settings
from kaicep.server.request_head import PromptProtocol
from support.servers import ask, serving
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect


def connected(url: str) -> socket.socket:
    place = urlsplit(url)
    return socket.create_connection((place.hostname or "", place.port or 0), timeout=20)


@pytest.mark.parametrize(
    "begun", [b"", b"GET /health HTTP/1.1\r\nHost: 127", b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET"]
)
def test_a_head_that_does_not_come_ends_the_connection(
    plain_url: str, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(PromptProtocol, "patience", 0.3)
    with connected(plain_url) as connection:
        connection.sendall(begun)
        began = time.monotonic()
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
        assert time.monotonic() - began < 15
        assert (answer == b"") == (b"\r\n\r\n" not in begun)


def test_a_body_that_nobody_reads_any_more_ends_the_connection(plain_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its request is answered, and its rest would hold the connection for ever, without a token too."""
    monkeypatch.setattr(PromptProtocol, "patience", 0.3)
    with connected(plain_url) as connection:
        connection.sendall(b"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n")
        answer = connection.recv(65_536)
        connection.sendall(b"x")
        assert answer.startswith(b"HTTP/1.1 404 ")
        while connection.recv(65_536):  # else it times out
            pass


@pytest.mark.parametrize(("host", "status"), [("localhost", 200), ("evil.example", 403)])
def test_a_target_may_be_a_whole_address_whose_host_counts(plain_url: str, host: str, status: int) -> None:
    """RFC 9112, 3.2.2: servers accept it, though clients send it to proxies alone."""
    with connected(plain_url) as connection:
        target = f"http://{host}/individuals?search=%C3%A4"
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        assert connection.makefile("rb").readline().startswith(f"HTTP/1.1 {status} ".encode())


def test_there_are_no_more_connections_than_may_be() -> None:
    with serving(Settings.parse({"server": {"connections": 4}})) as url:
        held = [connected(url) for _ in range(5)]
        until = time.monotonic() + 20
        while (found := ask(f"{url}/health")).status == 200:
            assert time.monotonic() < until
        assert (found.status, found.media_type, found.headers["retry-after"]) == (503, "application/problem+json", "5")
        assert found.json["detail"] == "there are 4 connections already"
        assert found.headers["x-content-type-options"] == "nosniff"
        with pytest.raises(InvalidStatus) as refused:
            connect(url.replace("http", "ws") + "/queries/high/live", open_timeout=60)
        assert refused.value.response.status_code == 503
        for connection in held:
            connection.close()
        while ask(f"{url}/health").status != 200:
            assert time.monotonic() < until
