"""A body is no larger than it may be, and there in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from fastapi import Request
from kaicep.server.problem import ProblemError
from kaicep.server.request_body import parse_body, read_body
from pydantic import BaseModel
from starlette.types import Message

SOON = timedelta(seconds=0.05)


def read(parts: list[bytes | None], **headers: str) -> bytes:
    """Read a body that comes in parts; `None`: nothing comes any more."""

    async def sent() -> AsyncIterator[Message]:
        for i, part in enumerate(parts):
            if part is None:
                await asyncio.sleep(60)
            yield {"type": "http.request", "body": part, "more_body": i + 1 < len(parts)}

    source = sent()
    lines = [(name.replace("_", "-").lower().encode(), value.encode()) for name, value in headers.items()]
    request = Request({"type": "http", "method": "POST", "headers": lines}, receive=source.__anext__)
    return asyncio.run(read_body(request, 10, SOON))


def test_a_body_comes_in_parts() -> None:
    assert read([b"12345", b"67890"]) == b"1234567890"


@pytest.mark.parametrize(
    ("parts", "headers", "status"),
    [([b"123456", b"78901"], {}, 413), ([b"1"], {"Content_Length": "21"}, 413), ([b"1", None], {}, 408)],
)
def test_one_that_is_too_large_or_too_slow_is_refused(
    parts: list[bytes | None], headers: dict[str, str], status: int
) -> None:
    with pytest.raises(ProblemError) as refused:
        read(parts, **headers)
    assert (refused.value.status, refused.value.headers["Connection"]) == (status, "close")


@pytest.mark.parametrize("coding", ["gzip", "br", "gzip, gzip"])
def test_nothing_is_unpacked(coding: str) -> None:
    """A body may be a thousand times as large when it is."""
    with pytest.raises(ProblemError, match=f"the body is in {coding}") as refused:
        read([b"1"], Content_Encoding=coding)
    assert (refused.value.status, refused.value.headers) == (415, {"Accept-Encoding": "identity"})


def test_a_client_that_goes_away_is_told_so() -> None:
    request = Request({"type": "http", "method": "POST", "headers": []}, receive=_gone)
    with pytest.raises(ProblemError, match="the request ended before its body"):
        asyncio.run(read_body(request, 10, SOON))


async def _gone() -> Message:
    return {"type": "http.disconnect"}


class Named(BaseModel):
    """What a body may say."""

    name: str


@pytest.mark.parametrize(("body", "why"), [(b"{", "body: Invalid JSON"), (b'{"name": 1}', "name: .1. is no text")])
def test_what_a_body_says_wrong_is_told_with_its_place(body: bytes, why: str) -> None:
    assert parse_body(Named, b'{"name": "a"}', "send a name") == Named(name="a")
    with pytest.raises(ProblemError, match=f"{why}.*: send a name") as refused:
        parse_body(Named, body, "send a name")
    assert refused.value.status == 422
