"""Ontology modules in any RDF syntax → one closed, immutable knowledge base."""

from .closure import Reasoner
from .knowledge import KnowledgeBase, load_knowledge
from .modules import Module

__all__ = ["KnowledgeBase", "Module", "Reasoner", "load_knowledge"]
