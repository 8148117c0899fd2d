"""Spark's checkpoints, one after the other: which one serves, what it has planned, and whether anything is unread."""

from __future__ import annotations

from .checkpoint_generation import Generation, current_generation, planned_at
from .unread_files import is_all_read

__all__ = ["Generation", "current_generation", "is_all_read", "planned_at"]
