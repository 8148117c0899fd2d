"""Ontology modules in any RDF syntax → one closed, immutable knowledge base."""

from __future__ import annotations

from .individual_keys import KeyIndex
from .knowledge import KnowledgeBase
from .left_out import LeftOut
from .private_copy import PrivateCopy
from .project_knowledge import ClosingRules, close_modules, knowledge_of, load_knowledge, stated_modules
from .terms import local_name, select, shown

__all__ = [
    "ClosingRules",
    "KeyIndex",
    "KnowledgeBase",
    "LeftOut",
    "PrivateCopy",
    "close_modules",
    "knowledge_of",
    "load_knowledge",
    "local_name",
    "select",
    "shown",
    "stated_modules",
]
