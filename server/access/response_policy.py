"""What browsers may do with an answer: nothing but show it, unless it says more itself, as the page does.

Source: W3C, Content Security Policy Level 3; WHATWG, Fetch (Cross-Origin-Resource-Policy).
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["ResponsePolicy"]

_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"content-security-policy": b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
}
"""Pictures of `explain` have styles of their own; nothing that is uploaded is ever run, as SVG or anything else."""


class ResponsePolicy:
    """Adds headers to answers that have none of their own.

    Args:
        app: that answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer with the headers."""

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *((n, v) for n, v in _HEADERS.items() if n not in there)]
            await send(message)

        await self._app(scope, receive, adding)
