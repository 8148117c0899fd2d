"""Requests about what is known in; modules, classes, individuals, and why rows came, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .knowledge_endpoint import knowledge_routes

__all__ = ["knowledge_routes"]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that answer need none of it."""
    if name == "knowledge_routes":
        return import_module(".knowledge_endpoint", __name__).knowledge_routes
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
