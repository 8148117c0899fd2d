"""Contradictory knowledge in; the fewest statements to take back, and a patch that does it, out."""

from __future__ import annotations

from .patch import sparql_update
from .repair import find_repair

__all__ = ["find_repair", "sparql_update"]
