"""Heads of answers: whatever is read by GET may be asked for its head alone.

Source: RFC 9110, 9.3.2 (HEAD).
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HeadRequest"]


class HeadRequest:
    """Lets HEAD be answered as GET is, without the body: routes know of GET alone.

    Of an answer that never ends, such as rows as they come, the head ends it.

    Args:
        app: what is asked behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        scope["method"], ended = "GET", False

        async def without_body(message: Message) -> None:
            nonlocal ended
            if message["type"] == "http.response.start":
                scope["method"] = "HEAD"  # again, for all that is around: it is counted so, and sends no body
                await send(message)
            elif not ended:
                ended = True
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        await self._app(scope, receive, without_body)
