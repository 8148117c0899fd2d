"""Files in any RDF syntax in; ontology modules with what they declare and import out."""

from __future__ import annotations

from .brick_versions import BrickBridge, bridge_versions
from .document_heads import DocumentHeads
from .imports import ImportCatalog, resolve_imports
from .module import RULES, Module, find_modules, nquads, ntriples, parse_nquads, parse_ntriples
from .module_set import ModuleChange, with_module, without_module
from .ontology_names import NamedOntology, find_named, named_ontologies, shipped_with
from .rule_statements import RuleStatement, check_update, updated_rules
from .unread_triples import UnreadTriples

__all__ = [
    "RULES",
    "BrickBridge",
    "DocumentHeads",
    "ImportCatalog",
    "Module",
    "ModuleChange",
    "NamedOntology",
    "RuleStatement",
    "UnreadTriples",
    "bridge_versions",
    "check_update",
    "find_modules",
    "find_named",
    "named_ontologies",
    "nquads",
    "ntriples",
    "parse_nquads",
    "parse_ntriples",
    "resolve_imports",
    "shipped_with",
    "updated_rules",
    "with_module",
    "without_module",
]
