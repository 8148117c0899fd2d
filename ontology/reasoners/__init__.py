"""Ontology modules in; the store of what they say and of all that follows from it out."""

from __future__ import annotations

from .closing_process import close_in_process, copied
from .closure import Closing, Closure, Reasoner, close

__all__ = ["Closing", "Closure", "Reasoner", "close", "close_in_process", "copied"]
