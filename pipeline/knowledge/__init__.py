"""Changes of the ontology modules in; the version that judges each batch out."""

from __future__ import annotations

from .knowledge_store import Entry, KnowledgeStore, Version
from .knowledge_swap import Takeover, prepare
from .knowledge_versions import KnowledgeHistory, Turn

__all__ = ["Entry", "KnowledgeHistory", "KnowledgeStore", "Takeover", "Turn", "Version", "prepare"]
