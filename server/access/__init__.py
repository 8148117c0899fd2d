"""Requests in; out those that may be answered: by token, role and origin, and as many as one client may send."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .client_identity import ClientIdentity, current_client

if TYPE_CHECKING:
    from .access_control import AccessControl, is_loopback, may
    from .client_limits import ClientLimits
    from .head_request import HeadRequest
    from .origin_check import OriginCheck
    from .response_policy import ResponsePolicy

_LATER = {
    "AccessControl": ".access_control",
    "ClientLimits": ".client_limits",
    "HeadRequest": ".head_request",
    "OriginCheck": ".origin_check",
    "ResponsePolicy": ".response_policy",
    "is_loopback": ".access_control",
    "may": ".access_control",
}

__all__ = [
    "AccessControl",
    "ClientIdentity",
    "ClientLimits",
    "HeadRequest",
    "OriginCheck",
    "ResponsePolicy",
    "current_client",
    "is_loopback",
    "may",
]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that answer need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
