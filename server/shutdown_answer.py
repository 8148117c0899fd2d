"""Requests that are given up when the server ends hear that, and not of a defect."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import KaicepError
from .problem_document import problem_response

__all__ = ["ShutdownAnswer"]


class ShutdownAnswer:
    """Answers 503 for what has no answer yet when it is cancelled: nothing but the end of the server does that.

    Args:
        app: what is asked behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            if begun:
                raise
            ends = KaicepError("the server ends", hint="ask the next one")
            await problem_response(503, ends, {"Retry-After": "5", "Connection": "close"})(scope, receive, send)
