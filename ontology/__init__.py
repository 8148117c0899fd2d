"""Ontology modules in any RDF syntax → one closed, immutable knowledge base."""

from .closing_process import close_in_process, copied
from .closure import Reasoner
from .knowledge import KnowledgeBase, knowledge_of, load_knowledge, stated_modules
from .module_set import ModuleChange, with_module, without_module
from .modules import Module, read_written, written

__all__ = [
    "KnowledgeBase",
    "Module",
    "ModuleChange",
    "Reasoner",
    "close_in_process",
    "copied",
    "knowledge_of",
    "load_knowledge",
    "read_written",
    "stated_modules",
    "with_module",
    "without_module",
    "written",
]
