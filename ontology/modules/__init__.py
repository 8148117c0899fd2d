"""Files in any RDF syntax in; ontology modules with what they declare and import out."""

from __future__ import annotations

from .brick_versions import BrickBridge, bridge_versions
from .document_heads import DocumentHeads
from .imports import ImportCatalog, resolve_imports
from .module import Module, find_modules, ntriples, parse_ntriples
from .module_set import ModuleChange, with_module, without_module
from .ontology_names import NamedOntology, find_named, named_ontologies, shipped_with
from .unread_triples import UnreadTriples

__all__ = [
    "BrickBridge",
    "DocumentHeads",
    "ImportCatalog",
    "Module",
    "ModuleChange",
    "NamedOntology",
    "UnreadTriples",
    "bridge_versions",
    "find_modules",
    "find_named",
    "named_ontologies",
    "ntriples",
    "parse_ntriples",
    "resolve_imports",
    "shipped_with",
    "with_module",
    "without_module",
]
