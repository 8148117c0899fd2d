"""The head of a request: there in time, or the connection is closed; a byte a minute would hold it for ever."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["PromptProtocol"]

_PATIENCE_S = 10.0


class PromptProtocol(H11Protocol):
    """HTTP/1.1 on one connection, which ends when no whole head of a request comes.

    Attributes:
        patience: seconds that a head may take, from the begin of the connection or the answer before.
    """

    patience = _PATIENCE_S
    _waiting: asyncio.TimerHandle | None = None

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

    def _wait(self) -> None:
        self._cancel()
        self._waiting = self.loop.call_later(self.patience, self._close_unless_asked)

    def _cancel(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _close_unless_asked(self) -> None:
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()
