"""One client has its share, and the others go on."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from kaicep.config import Settings
from kaicep.server.access import AccessControl, ClientLimits, current_client
from kaicep.server.access import client_limits as module
from starlette.types import Message, Receive, Scope, Send

ANNE, BERT = 32 * "a", 32 * "b"


class Slow:
    """An application that answers when it is told to, and counts who is inside."""

    def __init__(self) -> None:
        self.inside: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.go = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = current_client.get().name
        self.inside[name] += 1
        self.most[name] = max(self.most[name], self.inside[name])
        await self.go.wait()
        self.inside[name] -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(scope.get("streams", 0.0))


def limited(app: Any, monkeypatch: pytest.MonkeyPatch, rate: int = 1000, connections: int = 1000) -> ClientLimits:
    monkeypatch.setenv("ANNE", ANNE)
    monkeypatch.setenv("BERT", BERT)
    tokens = {name: {"token": f"env:{name.upper()}"} for name in ("anne", "bert")}
    settings = Settings.parse({"server": {"tokens": tokens, "request_rate": rate, "connections": connections}})
    return ClientLimits(app, AccessControl(settings), settings.server)


async def asked(limits: ClientLimits, token: str | None, **more: Any) -> tuple[int, dict[bytes, bytes]]:
    """Status and headers of the answer to a request."""
    told: list[Message] = []
    headers = [] if token is None else [(b"authorization", f"Bearer {token}".encode())]
    asked_for = {"type": "http", "method": "GET", "path": "/queries"}
    scope = {**asked_for, "headers": headers, "client": ("10.0.0.1", 1), **more}

    async def send(message: Message) -> None:
        told.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    await limits(scope, receive, send)
    return told[0]["status"], dict(told[0]["headers"])


def test_one_client_holds_no_more_than_its_share_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> Slow:
        app = Slow()
        limits = limited(app, monkeypatch)
        waiting = [asyncio.create_task(asked(limits, ANNE)) for _ in range(50)]
        await asyncio.sleep(0.05)
        other = asyncio.create_task(asked(limits, BERT))
        await asyncio.sleep(0.05)
        assert (app.inside["token anne"], app.inside["token bert"]) == (16, 1)
        app.go.set()
        assert {status for status, _ in await asyncio.gather(*waiting, other)} == {200}
        assert limits._turns == {}
        return app

    assert asyncio.run(run()).most == {"token anne": 16, "token bert": 1}


def test_events_wait_for_nothing_that_the_same_client_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is on a machine is one client, where there are no tokens."""

    async def run() -> None:
        app = Slow()
        limits = limited(app, monkeypatch)
        reading = [asyncio.create_task(asked(limits, ANNE)) for _ in range(30)]
        await asyncio.sleep(0.05)
        assert app.inside["token anne"] == 16
        post = {"method": "POST", "path": "/streams/flow/events"}
        posting = [asyncio.create_task(asked(limits, ANNE, **post)) for _ in range(10)]
        await asyncio.sleep(0.05)
        assert app.inside["token anne"] == 16 + 4
        app.go.set()
        assert {status for status, _ in await asyncio.gather(*reading, *posting)} == {200}
        assert limits._turns == {}

    asyncio.run(run())


def test_who_reads_an_answer_takes_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred who read rows as they come, say."""

    async def run() -> None:
        app = Slow()
        app.go.set()
        limits = limited(app, monkeypatch)
        readers = [asyncio.create_task(asked(limits, ANNE, streams=60.0)) for _ in range(100)]
        await asyncio.sleep(0.05)
        assert (await asyncio.wait_for(asked(limits, ANNE), 5))[0] == 200
        for reader in readers:
            reader.cancel()
        await asyncio.wait(readers)
        assert limits._turns == {}

    asyncio.run(run())


def test_half_of_the_connections_are_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        app = Slow()
        app.go.set()
        limits = limited(app, monkeypatch, connections=20)
        readers = [asyncio.create_task(asked(limits, ANNE, streams=60.0)) for _ in range(10)]
        await asyncio.sleep(0.05)
        assert [(await asked(limits, token))[0] for token in (ANNE, BERT)] == [429, 200]
        for reader in readers:
            reader.cancel()
        await asyncio.wait(readers)
        assert (limits._open, (await asked(limits, ANNE))[0]) == ({}, 200)

    asyncio.run(run())


def test_who_sends_far_too_many_at_once_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WAITING", 20)

    async def run() -> list[int]:
        app = Slow()
        limits = limited(app, monkeypatch)
        tasks = [asyncio.create_task(asked(limits, ANNE)) for _ in range(25)]
        await asyncio.sleep(0.05)
        app.go.set()
        return sorted(status for status, _ in await asyncio.gather(*tasks))

    assert asyncio.run(run()) == [200] * 20 + [429] * 5


def test_who_sends_too_many_a_second_is_told_when_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a token as well, and a wrong one is none: nobody tries many."""

    async def run() -> None:
        app = Slow()
        app.go.set()
        limits = limited(app, monkeypatch, rate=2)
        for token in (ANNE, None):
            found = [await asked(limits, token) for _ in range(12)]
            assert [status for status, _ in found] == [200] * 10 + [429] * 2
            assert found[-1][1][b"retry-after"] == b"1"
        assert (await asked(limits, 32 * "x"))[0] == 429
        assert (await asked(limits, BERT))[0] == 200
        await asyncio.sleep(0.6)
        assert (await asked(limits, ANNE))[0] == 200

    asyncio.run(run())


def test_who_shows_two_tokens_is_known_by_the_one_that_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> Counter[str]:
        app = Slow()
        app.go.set()
        shown = [(b"authorization", f"Bearer {token}".encode()) for token in (ANNE, 32 * "x")]
        await asked(limited(app, monkeypatch), None, headers=shown)
        return app.most

    assert asyncio.run(run()) == {"token anne": 1}


def test_without_tokens_nobody_counts() -> None:
    async def run() -> set[int]:
        app = Slow()
        app.go.set()
        settings = Settings.parse({"server": {"request_rate": 1}})
        limits = ClientLimits(app, AccessControl(settings), settings.server)
        return {(await asked(limits, None))[0] for _ in range(50)}

    assert asyncio.run(run()) == {200}
