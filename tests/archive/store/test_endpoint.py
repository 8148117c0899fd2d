"""A SPARQL endpoint over HTTP: who asks, what it answers, and what it does wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from kaicep.archive.store import StoreUnavailableError
from kaicep.archive.store.endpoint import AUTHORIZATION, Endpoint, update_url
from kaicep.errors import ArchiveError
from support.endpoints import answering, clear, free_port, oxigraph

START = "start it, or correct endpoint under [archive]"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with oxigraph(free_port()) as url:
        yield url


@pytest.fixture
def endpoint(server: str) -> str:
    clear(server)
    return server


SEE = "see its log, and endpoint and endpoint_update under [archive]"
UNREADABLE = (
    "answers what cannot be read: 'text/html' is no result of SPARQL: "
    "see whether endpoint under [archive] is the URL that takes queries"
)


@pytest.mark.parametrize(
    ("status", "kind", "content", "message"),
    [
        (401, "text/plain", b"", f"wants to know who asks (HTTP 401): set the environment variable {AUTHORIZATION}"),
        (403, "", b"no\nreally", f"refuses (HTTP 403): no: let it be written, or set {AUTHORIZATION}"),
        (404, "text/html", b"no such page", f"has nothing there (HTTP 404): no such page: {SEE}"),
        (503, "text/plain", b"busy", f"fails (HTTP 503): busy: {SEE}"),
        (200, "text/html", b"<html>", UNREADABLE),
    ],
)
def test_what_an_endpoint_does_wrong_is_said(status: int, kind: str, content: bytes, message: str) -> None:
    with answering(lambda _: (status, kind, content)) as url, pytest.raises(StoreUnavailableError) as error:
        Endpoint(url, update_url(url)).ask("ASK { }")
    assert str(error.value) == f"{url}: the SPARQL endpoint {message}"


def test_who_asks_is_said_by_the_environment_or_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def reply(authorization: str) -> tuple[int, str, bytes]:
        seen.append(authorization)
        return 500, "text/plain", b""

    with answering(reply) as url:
        named = url.replace("http://", "http://me:secret@")
        with pytest.raises(StoreUnavailableError) as error:
            Endpoint(named, named).update("CLEAR ALL")
        monkeypatch.setenv(AUTHORIZATION, "Bearer token")
        with pytest.raises(StoreUnavailableError):
            Endpoint(named, named).ask("ASK { }")
    assert seen == ["Basic bWU6c2VjcmV0", "Bearer token"]
    assert "secret" not in str(error.value)


def test_an_answer_that_does_not_come_is_given_up() -> None:
    never = threading.Event()

    def reply(_: str) -> tuple[int, str, bytes]:
        never.wait()
        return 500, "text/plain", b""

    cancelled = threading.Event()
    cancelled.set()
    with answering(reply) as url:
        endpoint = Endpoint(url, url, answer_timeout=0.05)
        slow = f"{url}: the SPARQL endpoint cannot be reached: no answer within 0.05 s: {START}"
        cases: list[tuple[dict[str, Any], str]] = [
            ({"timeout": 0.05}, "query: no answer within 0.05 s: ask for a shorter time range, or allow more time"),
            ({"cancelled": cancelled, "timeout": 60}, "query: the query was cancelled: ask again"),
            ({}, slow),
        ]
        for limits, message in cases:
            with pytest.raises(ArchiveError) as error:
                endpoint.ask("ASK { }", **limits)
            assert str(error.value) == message
        never.set()


def test_updates_stand_beside_queries() -> None:
    assert update_url("http://h:1/query") == "http://h:1/update"
    assert update_url("http://h/ds/sparql") == "http://h/ds/update"
    assert update_url("http://h/repositories/r") == "http://h/repositories/r"
