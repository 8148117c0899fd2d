"""The head of a request: there in time, or the connection is closed; a byte a minute would hold it for ever.

So would a byte of a body that nobody reads any more, since its request is answered.
"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import unquote

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import KaicepError
from .access import ResponsePolicy
from .problem_document import problem_response

__all__ = ["PromptProtocol"]

_PATIENCE_S = 10.0
_AGAIN_S = 5


class PromptProtocol(H11Protocol):
    """HTTP/1.1 on one connection, which ends when no whole head of a request comes, nor the rest of an answered one.

    Requests on connections beyond those that may be are refused by a problem document; uvicorn has a word of text.

    Attributes:
        patience: seconds that a head may take, from the begin of the connection or the answer before.
    """

    patience = _PATIENCE_S
    _waiting: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._most, self.limit_concurrency = self.limit_concurrency, None
        self._answering, self.app = self.app, self._answer

    def connection_made(self, transport: Any) -> None:
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._wait()
        super().on_response_complete()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer, unless there are too many connections, or requests."""
        if not self._crowded:
            await self._answering(_without_authority(scope), receive, send)
            return
        hint = "come again, or let connections under [server] be more"
        refusal = KaicepError(f"there are {self._most} connections already", hint=hint)
        again = {"Retry-After": str(_AGAIN_S), "Connection": "close"}
        await ResponsePolicy(problem_response(503, refusal, again))(scope, receive, send)

    @property
    def _crowded(self) -> bool:
        """Whether there are too many connections, or requests."""
        return self._most is not None and (len(self.connections) >= self._most or len(self.tasks) > self._most)

    def _should_upgrade(self) -> bool:
        """A WebSocket is a connection as well; uvicorn counts none before it is there."""
        return not self._crowded and super()._should_upgrade()

    def _wait(self) -> None:
        self._cancel()
        self._waiting = self.loop.call_later(self.patience, self._close_unless_asked)

    def _cancel(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _close_unless_asked(self) -> None:
        if self.conn.our_state in (h11.IDLE, h11.DONE) and not self.transport.is_closing():
            self.transport.close()


def _without_authority(scope: Scope) -> Scope:
    """A request whose target is a whole address, as for a proxy, as one for the path in it (RFC 9112, 3.2.2)."""
    scheme, _, place = scope["raw_path"].partition(b"://")
    if scheme.lower() not in (b"http", b"https"):
        return scope
    host, _, path = place.partition(b"/")
    headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
    scope.update(path=unquote(f"/{path.decode()}"), raw_path=b"/" + path, headers=[(b"host", host), *headers])
    return scope
