"""Ontology modules in; the store of what they assert and of all that follows from it out. A reasoner a file."""

from __future__ import annotations

from .closure_process import close_in_process, copy_quads
from .hierarchy import NO_LIMITS, USUAL_LIMITS, ClosureLimits
from .owl_rules import Pattern, Rule, Slot, general_rules
from .reasoner import Closure, KeptFiles, Reasoner
from .reasoner_table import REASONERS, Closing, close

__all__ = [
    "NO_LIMITS",
    "REASONERS",
    "USUAL_LIMITS",
    "Closing",
    "Closure",
    "ClosureLimits",
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
