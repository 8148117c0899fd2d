"""Who may ask: tokens and what they allow; on this machine, only what no page of another site has sent."""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Callable, Mapping
from hashlib import sha256
from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.types import ASGIApp, Receive, Scope, Send

from ..config import Settings
from ..errors import ConfigError, KaicepError, Place
from ..settings import Role, ServerSettings, found_secret
from .problem import ProblemError
from .problem_document import problem_response

__all__ = ["AccessControl", "OriginCheck", "is_loopback", "may"]

_ROLES: tuple[Role, ...] = ("read", "submit", "admin")
_SHORTEST = 16
_SAFE = {"GET", "HEAD", "OPTIONS"}
_BEARER = HTTPBearer(auto_error=False, description="A token of `[server.tokens]`; none is needed where there are none.")


class AccessControl:
    """The tokens of a project.

    Args:
        settings: of the project.

    Raises:
        ConfigError: the server would listen beyond this machine and has no tokens, or one is not found.
    """

    def __init__(self, settings: Settings) -> None:
        server = settings.server
        if not server.tokens and not is_loopback(server.host):
            raise ConfigError(
                f"server.host: whoever reaches {server.host} could do anything",
                place=Place(settings.file),
                hint="add [server.tokens], or listen at 127.0.0.1",
            )
        self._roles = {_digest_of(settings, name): one.role for name, one in server.tokens.items()}
        self._names = {_digest_of(settings, name): name for name in server.tokens}

    @property
    def open(self) -> bool:
        """Whether there are no tokens, and whoever is on this machine may do all."""
        return not self._roles

    def holder(self, authorization: str | None) -> str | None:
        """The name of the token that a request shows, which has passed `check`; `None`: there are no tokens."""
        token = _token_of(authorization or "")
        return None if token is None else self._names.get(sha256(token.encode()).hexdigest())

    def check(self, role: Role, authorization: str | None) -> None:
        """Let a request pass that shows a token of this role, or of a higher one.

        Args:
            role: that it needs.
            authorization: its header: `Bearer TOKEN`, or `Basic` with the token as password.

        Raises:
            ProblemError: it shows none, or one that does not suffice.
        """
        if self.open:
            return
        token = _token_of(authorization or "")
        if token is None:
            hint = "send the header Authorization: Bearer TOKEN"
            raise ProblemError(401, "a token is needed", hint, WWW_Authenticate='Bearer realm="kaicep"')
        digest = sha256(token.encode()).hexdigest()
        has = [own for known, own in self._roles.items() if hmac.compare_digest(known, digest)]
        if not has:
            raise ProblemError(
                401,
                "nobody has this token",
                "[server.tokens] of the project file says who has one",
                WWW_Authenticate='Bearer realm="kaicep", error="invalid_token"',
            )
        if _ROLES.index(has[0]) < _ROLES.index(role):
            raise ProblemError(403, f"this token is for '{has[0]}', and '{role}' is needed", "use another token")


def may(role: Role) -> Any:
    """What a route depends on that needs a role."""

    def check(request: Request, _: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]) -> None:
        access: AccessControl = request.app.state.access
        access.check(role, request.headers.get("Authorization"))

    return Depends(check)


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
        if not (is_loopback(host) or host in self._server.hosts):
            return KaicepError(f"this server is not called '{host}'", hint="add the name to hosts under [server]")
        origin = headers.get("origin")
        # A page may read what comes through a socket of another site, whatever it asks; of answers it may not.
        safe = scope["type"] == "http" and scope["method"] in _SAFE
        if safe or origin is None or not self._is_strange(origin, headers):
            return None
        return KaicepError(f"a page of {origin} may change nothing here", hint="add it to cors under [server]")

    def _is_strange(self, origin: str, headers: Mapping[str, str]) -> bool:
        own = urlsplit(origin).netloc == headers.get("host")
        return not (own or origin in self._server.cors or "*" in self._server.cors)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, and reached from nowhere else."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _digest_of(settings: Settings, name: str) -> str:
    """The digest of the token of that name."""
    key, text = f"server.tokens.{name}.token", settings.server.tokens[name].token
    if text.startswith("sha256:"):
        return text.removeprefix("sha256:")
    token = found_secret(key, text, settings.root, settings.file)
    if len(token) < _SHORTEST:
        hint = "make one with: openssl rand -hex 32"
        raise ConfigError(f"{key}: shorter than {_SHORTEST} characters", place=Place(settings.file), hint=hint)
    return sha256(token.encode()).hexdigest()


def _token_of(authorization: str) -> str | None:
    scheme, _, credentials = authorization.partition(" ")
    readers: dict[str, Callable[[str], str | None]] = {"bearer": str.strip, "basic": _password}
    reader = readers.get(scheme.lower())
    return None if reader is None else reader(credentials)


def _password(credentials: str) -> str | None:
    """The password of Basic: many clients can send nothing else."""
    try:
        return base64.b64decode(credentials, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return None
