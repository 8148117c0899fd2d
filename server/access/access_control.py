"""Who may ask: tokens and what they allow."""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Callable
from hashlib import sha256
from ipaddress import ip_address
from typing import Annotated, Any

from fastapi import Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from ...config import Settings
from ...errors import ConfigError, Place
from ...settings import Role, found_secret
from ..problem import ProblemError
from .client_identity import ClientIdentity

__all__ = ["AccessControl", "is_loopback", "may"]

_ROLES: tuple[Role, ...] = ("read", "submit", "admin")
_SHORTEST = 16
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
        self._known = {
            _digest_of(settings, name): ClientIdentity(f"token {name}", one.role, name)
            for name, one in server.tokens.items()
        }

    @property
    def open(self) -> bool:
        """Whether there are no tokens, and whoever is on this machine may do all."""
        return not self._known

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
        if _token_of(authorization or "") is None:
            hint = "send the header Authorization: Bearer TOKEN"
            raise ProblemError(401, "a token is needed", hint, WWW_Authenticate='Bearer realm="kaicep"')
        client = self.client(authorization)
        if client is None:
            raise ProblemError(
                401,
                "nobody has this token",
                "[server.tokens] of the project file says who has one",
                WWW_Authenticate='Bearer realm="kaicep", error="invalid_token"',
            )
        if _ROLES.index(client.role) < _ROLES.index(role):
            raise ProblemError(403, f"this token is for '{client.role}', and '{role}' is needed", "use another token")

    def client(self, authorization: str | None) -> ClientIdentity | None:
        """Who has the token of a request; `None`: nobody, or it shows none."""
        token = _token_of(authorization or "")
        if token is None:
            return None
        digest = sha256(token.encode()).hexdigest()
        # All are compared, so that the time it takes says nothing about a token.
        found = [client for known, client in self._known.items() if hmac.compare_digest(known, digest)]
        return found[0] if found else None


def may(role: Role) -> Any:
    """What a route depends on that needs a role."""

    def check(request: Request, _: Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]) -> None:
        access: AccessControl = request.app.state.access
        access.check(role, request.headers.get("Authorization"))

    return Security(check, scopes=[role])  # OpenAPI: the role that an operation needs


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, and reached from nowhere else."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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
