"""Ontology modules in any RDF syntax → one closed, immutable knowledge base."""

from __future__ import annotations

from .knowledge import KnowledgeBase, knowledge_of, load_knowledge, stated_modules
from .terms import select

__all__ = ["KnowledgeBase", "knowledge_of", "load_knowledge", "select", "stated_modules"]
