"""Who asks: known wherever a request is answered, so that what is scarce is shared among clients."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from ...settings import Role

__all__ = ["ClientIdentity", "current_client"]


@dataclass(frozen=True, slots=True)
class ClientIdentity:
    """A client, as far as it is told from others.

    Attributes:
        name: of its token, `token NAME`; else its address.
        role: what it may do.
        token: the name of its token; `None`: it has none.
    """

    name: str
    role: Role
    token: str | None = None


_SERVER = ClientIdentity("", "admin")
current_client: ContextVar[ClientIdentity] = ContextVar("current_client", default=_SERVER)
"""Of the request that is answered; beyond any request, the server itself."""
