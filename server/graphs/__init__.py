"""Requests of the Graph Store Protocol in; ontology modules, and graphs of datasets, read and changed, out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .dataset_graphs import DatasetGraphs
    from .graph_endpoint import graph_routes
    from .module_graphs import ModuleGraphs

_LATER = {"DatasetGraphs": ".dataset_graphs", "ModuleGraphs": ".module_graphs", "graph_routes": ".graph_endpoint"}

__all__ = ["DatasetGraphs", "ModuleGraphs", "graph_routes"]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that answer need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
