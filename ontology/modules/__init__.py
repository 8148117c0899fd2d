"""Files in any RDF syntax in; ontology modules with what they declare and import out."""

from __future__ import annotations

from .document_heads import DocumentHeads
from .imports import ImportCatalog, resolve_imports
from .module import Module, find_modules, ntriples, parse_ntriples
from .module_set import ModuleChange, with_module, without_module

__all__ = [
    "DocumentHeads",
    "ImportCatalog",
    "Module",
    "ModuleChange",
    "find_modules",
    "ntriples",
    "parse_ntriples",
    "resolve_imports",
    "with_module",
    "without_module",
]
