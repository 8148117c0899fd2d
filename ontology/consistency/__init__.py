"""Closed knowledge in; the contradictions in it, and who is involved, out."""

from __future__ import annotations

from .conflict import conflicting_individuals
from .consistency import check_consistency, repair_hint

__all__ = ["check_consistency", "conflicting_individuals", "repair_hint"]
