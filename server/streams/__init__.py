"""Requests about streams in; how each fares, its schema, its newest events, and what queries may speak of, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .stream_endpoint import stream_routes
    from .stream_listing import newest_events
    from .vocabulary_endpoint import vocabulary_routes

_LATER = {
    "newest_events": ".stream_listing",
    "stream_routes": ".stream_endpoint",
    "vocabulary_routes": ".vocabulary_endpoint",
}

__all__ = ["newest_events", "stream_routes", "vocabulary_routes"]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that answer need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
