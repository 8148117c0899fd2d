"""Candidates of patterns that repeat nothing in; matches, as joins of columns, out."""

from __future__ import annotations

from .pattern_dnf import vectorisable
from .pattern_operator import PatternKernel
from .predicate_inference import implied_filters
from .shared_pattern import SharedPatternKernel

__all__ = ["PatternKernel", "SharedPatternKernel", "implied_filters", "vectorisable"]
