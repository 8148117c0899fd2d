"""Ontology modules in any RDF syntax → one closed, immutable knowledge base."""

from __future__ import annotations

from .individual_keys import KeyIndex
from .knowledge import KnowledgeBase, knowledge_of, load_knowledge, stated_modules
from .terms import select, shown

__all__ = ["KeyIndex", "KnowledgeBase", "knowledge_of", "load_knowledge", "select", "shown", "stated_modules"]
