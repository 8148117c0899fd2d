"""Who is cancelled hears that the server ends, if there is time for an answer."""

from __future__ import annotations

import asyncio
import json

import pytest
from kaicep.server.shutdown_answer import ShutdownAnswer
from starlette.types import Message, Receive, Scope, Send

START: Message = {"type": "http.response.start", "status": 200, "headers": []}


async def cancelled(*before: Message) -> list[Message]:
    """What is sent of a request that is cancelled when its answer has begun so far."""
    told: list[Message] = []

    async def app(_: Scope, _receive: Receive, send: Send) -> None:
        for message in before:
            await send(message)
        await asyncio.sleep(60.0)

    async def send(message: Message) -> None:
        told.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    asked = asyncio.create_task(ShutdownAnswer(app)({"type": "http", "headers": []}, receive, send))
    await asyncio.sleep(0.01)
    asked.cancel()
    try:
        await asked
    except asyncio.CancelledError:
        told.append({"type": "cancelled"})
    return told


def test_a_request_without_an_answer_gets_one() -> None:
    start, body = asyncio.run(cancelled())
    assert (start["status"], dict(start["headers"])[b"retry-after"]) == (503, b"5")
    assert json.loads(body["body"])["text"] == "the server ends: ask the next one"


@pytest.mark.parametrize("kind", ["lifespan", "websocket"])
def test_what_is_no_request_passes(kind: str) -> None:
    passed: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        passed.append(scope["type"])

    async def nothing(*_: object) -> None: ...

    asyncio.run(ShutdownAnswer(app)({"type": kind}, nothing, nothing))  # type: ignore[arg-type] # nobody calls them
    assert passed == [kind]


def test_an_answer_that_has_begun_ends() -> None:
    assert asyncio.run(cancelled(START)) == [START, {"type": "cancelled"}]
