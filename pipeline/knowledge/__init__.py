"""Changes of the ontology modules in; the version that judges each batch out."""

from __future__ import annotations

from .knowledge_store import Entry, KnowledgeStore, Version, modules_in_force
from .knowledge_swap import KnowledgeSwap, prepare_swap
from .knowledge_versions import BatchKnowledge, KnowledgeVersions

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
