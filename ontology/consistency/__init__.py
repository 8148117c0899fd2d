"""Closed knowledge in; the contradictions in it, and who is involved, out."""

from __future__ import annotations

from .conflict import conflicting_individuals
from .consistency import check, speaking_of

__all__ = ["check", "conflicting_individuals", "speaking_of"]
