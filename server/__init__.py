"""HTTP in; what the stages say, as documents, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .http_server import HttpServer, serve

_LATER = {"HttpServer": ".http_server", "serve": ".http_server"}

__all__ = ["HttpServer", "serve"]


def __getattr__(name: str) -> object:
    """What loads the framework, on first use: processes that only answer SPARQL need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
