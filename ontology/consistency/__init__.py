"""Closed knowledge in; the contradictions in it, and who is involved, out."""

from __future__ import annotations

from .conflict import conflicting_individuals
from .consistency import contradiction_error, contradictions_in, repair_hint
from .violation import Violation, read_violations, violation_texts

__all__ = [
    "Violation",
    "conflicting_individuals",
    "contradiction_error",
    "contradictions_in",
    "read_violations",
    "repair_hint",
    "violation_texts",
]
