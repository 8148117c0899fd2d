"""Ontology modules in; the store of what they assert and of all that follows from it out. A reasoner a file."""

from __future__ import annotations

from .closure_process import close_in_process, copy_quads
from .owl_rules import Pattern, Rule, Slot, general_rules
from .reasoner import Closure, KeptFiles, Reasoner
from .reasoner_table import REASONERS, Closing, close

__all__ = [
    "REASONERS",
    "Closing",
    "Closure",
    "KeptFiles",
    "Pattern",
    "Reasoner",
    "Rule",
    "Slot",
    "close",
    "close_in_process",
    "copy_quads",
    "general_rules",
]
