"""On this machine, where no token is needed: only what no page of another site has sent.

Source: OWASP, DNS rebinding and cross-site request forgery; W3C, Fetch Metadata Request Headers.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from ...errors import KaicepError
from ...settings import ServerSettings
from ..problem_document import problem_response
from .access_control import is_loopback

__all__ = ["OriginCheck"]

_SAFE = {"GET", "HEAD", "OPTIONS"}


class OriginCheck:
    """Refuses what a page of another site sends where no token is needed, and what came by a name that is not ours.

    Args:
        app: what is asked behind it.
        server: hosts and origins that are known.
        open_: whether no token is needed.
    """

    def __init__(self, app: ASGIApp, server: ServerSettings, *, open_: bool) -> None:
        self._app, self._server, self._open = app, server, open_

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") and self._open else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal.message})
        else:
            await problem_response(403, refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> KaicepError | None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host = _hostname(f"//{headers.get('host', '')}")
        # Only HTTP/1.0 has none, as balancers of load still ask; browsers always say one.
        if "host" in headers and not (is_loopback(host) or host in self._server.hosts):
            return KaicepError(f"this server is not called '{host}'", hint="add the name to hosts under [server]")
        origin = headers.get("origin")
        if _is_blind(scope, headers) and not self._may_read(origin):
            return KaicepError("a page of another site asks", hint="open the address itself, or add the page to cors")
        # A page may read what comes through a socket of another site, whatever it asks; of answers it may not.
        safe = scope["type"] == "http" and scope["method"] in _SAFE
        if safe or origin is None or not self._is_strange(origin, headers):
            return None
        return KaicepError(f"a page of {origin} may change nothing here", hint="add it to cors under [server]")

    def _is_strange(self, origin: str, headers: Mapping[str, str]) -> bool:
        own = origin.partition("://")[2] == headers.get("host")
        return not (own or self._may_read(origin))

    def _may_read(self, origin: str | None) -> bool:
        return origin is not None and (origin in self._server.cors or "*" in self._server.cors)


def _is_blind(scope: Scope, headers: Mapping[str, str]) -> bool:
    """Whether a page of another site asks for what it cannot read unless it is among `cors`, by a picture or a script.

    It can only cost us something. Browsers say so. Links that somebody follows are well.
    """
    strange = headers.get("sec-fetch-site") in ("cross-site", "same-site")
    return strange and scope["type"] == "http" and headers.get("sec-fetch-mode") in ("no-cors", "cors")


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
