"""What one client may take of a server, so that the others go on: requests a second, requests and connections at once.

Source: the token bucket of RFC 2697; RFC 6585 (429).
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass

from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...errors import KaicepError
from ...settings import ServerSettings
from ..problem_document import problem_response
from .access_control import AccessControl
from .client_identity import ClientIdentity, current_client

__all__ = ["ClientLimits"]

_KNOWN = 10_000
_BURST_S = 5.0
_AT_ONCE = 16
"""Each may hold one of the 40 threads that answer: what one client sends beyond it waits, and takes no thread."""
_POSTS_AT_ONCE = 4
"""Beside them: events wait for no reading of the same client, which may be all that is on this machine."""
_WAITING = 500
_EVENTS = re.compile(r"/streams/[^/]+/events")


@dataclass(slots=True)
class _Bucket:
    """Requests that a client may send now."""

    left: float
    at: float


@dataclass(slots=True)
class _Turns:
    """The requests of a client that are answered, and that wait for that."""

    free: asyncio.Semaphore
    inside: int = 0

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """One turn, as soon as it comes."""
        self.inside += 1
        try:
            async with self.free:
                yield
        finally:
            self.inside -= 1


class ClientLimits:
    """Lets each client have its share; a request counts until its answer begins, so that a reader of rows is none.

    Args:
        app: what is asked behind it.
        access: knows clients by their tokens.
        server: how many requests a second a client may send, where there are tokens.
    """

    def __init__(self, app: ASGIApp, access: AccessControl, server: ServerSettings) -> None:
        self._app, self._access = app, access
        self._rate = math.inf if access.open else float(server.request_rate)
        self._buckets: LRUCache[str, _Bucket] = LRUCache(_KNOWN)
        self._turns: dict[tuple[str, bool], _Turns] = {}
        self._open: Counter[str] = Counter()
        self._most_open = math.inf if access.open else max(1, server.connections // 2)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when its turn comes, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        client = self._client(scope)
        current_client.set(client)
        wait = self._wait(client.name)
        if wait > 0.0:
            hint = "send fewer, with more in each; or let request_rate under [server] be more"
            refusal = KaicepError(f"more than {self._rate:g} requests a second", hint=hint)
            await _refuse(refusal, wait, scope, receive, send)
        elif self._open[client.name] >= self._most_open:
            hint = "close some; or let connections under [server] be more"
            await _refuse(KaicepError("half of all connections are yours", hint=hint), 1.0, scope, receive, send)
        else:
            with self._counted(client.name):
                if scope["type"] == "websocket":
                    await self._app(scope, receive, send)
                else:
                    await self._in_turn(client.name, scope, receive, send)

    @contextmanager
    def _counted(self, name: str) -> Iterator[None]:
        """One more connection of a client, until it is done with: who reads rows as they come holds one for long."""
        self._open[name] += 1
        try:
            yield
        finally:
            self._open[name] -= 1
            if not self._open[name]:
                del self._open[name]

    def _client(self, scope: Scope) -> ClientIdentity:
        known = self._access.client(Headers(scope=scope).get("Authorization"))  # of several the one that is checked
        address = (scope.get("client") or ("",))[0]
        return known or ClientIdentity(address, "admin" if self._access.open else "read")

    def _wait(self, name: str) -> float:
        """Seconds until a client may send its next request; 0: it may now."""
        if math.isinf(self._rate):
            return 0.0
        now, most = time.monotonic(), self._rate * _BURST_S
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = _Bucket(most, now)
        bucket.left, bucket.at = min(most, bucket.left + (now - bucket.at) * self._rate), now
        if bucket.left < 1.0:
            return (1.0 - bucket.left) / self._rate
        bucket.left -= 1.0
        return 0.0

    async def _in_turn(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        posts = scope["method"] == "POST" and _EVENTS.fullmatch(scope["path"]) is not None
        turns = self._turns.setdefault((name, posts), _Turns(asyncio.Semaphore(_POSTS_AT_ONCE if posts else _AT_ONCE)))
        if turns.inside >= _WAITING:
            refusal = KaicepError(f"{_WAITING} of your requests wait already", hint="wait for their answers")
            await _refuse(refusal, 1.0, scope, receive, send)
            return
        async with AsyncExitStack() as turn:
            await turn.enter_async_context(turns.one())

            async def noting(message: Message) -> None:
                if message["type"] == "http.response.start":
                    await turn.aclose()
                await send(message)

            await self._app(scope, receive, noting)
        if not turns.inside:
            self._turns.pop((name, posts), None)


async def _refuse(refusal: KaicepError, wait: float, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1013, "reason": refusal.message})
        return
    again = {"Retry-After": str(math.ceil(wait))}
    await problem_response(429, refusal, again)(scope, receive, send)
