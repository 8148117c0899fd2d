"""Files in any RDF syntax in; ontology modules with what they declare and import out."""

from __future__ import annotations

from .imports import Catalog, with_imports
from .module import Module, find_modules, read_written, written
from .module_set import ModuleChange, with_module, without_module

__all__ = [
    "Catalog",
    "Module",
    "ModuleChange",
    "find_modules",
    "read_written",
    "with_imports",
    "with_module",
    "without_module",
    "written",
]
