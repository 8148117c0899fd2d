"""Requests about queries in; what is registered, checked and explained, by processes that can be ended, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .check_endpoint import check_routes
    from .project_processes import ProjectProcesses
    from .query_catalog import QueryCatalog
    from .query_endpoint import query_routes, text_of
    from .query_listing import ListedQuery

_LATER = {
    "ProjectProcesses": ".project_processes",
    "QueryCatalog": ".query_catalog",
    "ListedQuery": ".query_listing",
    "check_routes": ".check_endpoint",
    "query_routes": ".query_endpoint",
    "text_of": ".query_endpoint",
}

__all__ = ["ListedQuery", "ProjectProcesses", "QueryCatalog", "check_routes", "query_routes", "text_of"]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that answer need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
