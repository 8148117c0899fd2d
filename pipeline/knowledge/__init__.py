"""Changes of the ontology modules in; the version that judges each batch out."""

from __future__ import annotations

from .knowledge_store import Entry, KnowledgeStore, Version
from .knowledge_swap import KnowledgeSwap, prepare
from .knowledge_versions import KnowledgeVersions, Turn

__all__ = ["Entry", "KnowledgeStore", "KnowledgeSwap", "KnowledgeVersions", "Turn", "Version", "prepare"]
