"""The log of matches in; rows behind a place, and rows as they come, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .match_reader import MatchReader
    from .row_cursor import RowCursor
    from .row_endpoint import row_routes
    from .row_feeds import RowFeeds

_LATER = {
    "MatchReader": ".match_reader",
    "RowCursor": ".row_cursor",
    "RowFeeds": ".row_feeds",
    "row_routes": ".row_endpoint",
}

__all__ = ["MatchReader", "RowCursor", "RowFeeds", "row_routes"]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that answer need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
