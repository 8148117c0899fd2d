"""Changes of the ontology modules in; the version that judges each batch out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .knowledge_store import Entry, KnowledgeStore, Version, modules_in_force

if TYPE_CHECKING:
    from .knowledge_swap import KnowledgeSwap, prepare_swap
    from .knowledge_versions import BatchKnowledge, KnowledgeVersions

_LATER = {
    "BatchKnowledge": ".knowledge_versions",
    "KnowledgeSwap": ".knowledge_swap",
    "KnowledgeVersions": ".knowledge_versions",
    "prepare_swap": ".knowledge_swap",
}

__all__ = [
    "BatchKnowledge",
    "Entry",
    "KnowledgeStore",
    "KnowledgeSwap",
    "KnowledgeVersions",
    "Version",
    "modules_in_force",
    "prepare_swap",
]


def __getattr__(name: str) -> object:
    """What changes the knowledge of a running engine, on first use: most ask what is in force."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
