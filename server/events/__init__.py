"""Events that are posted in; durable files, which the engine reads as those of any source, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .event_endpoint import event_routes
    from .event_inbox import EventInboxes

_LATER = {"EventInboxes": ".event_inbox", "event_routes": ".event_endpoint"}

__all__ = ["EventInboxes", "event_routes"]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that answer need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
