"""Requests about the archive and its rows in; what is covered, and what a chart draws, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .archive_endpoint import archive_routes

__all__ = ["archive_routes"]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that answer need none of it."""
    if name == "archive_routes":
        return import_module(".archive_endpoint", __name__).archive_routes
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
