"""Candidates of patterns that repeat nothing in; matches, as joins of columns, out."""

from __future__ import annotations

from .match_finder import Candidates
from .match_projection import Reporting
from .match_table import Found
from .pattern_operator import PatternKernel
from .pattern_plan import plan_pattern
from .predicate_inference import implied_filters
from .vectorisable import vectorisable

__all__ = ["Candidates", "Found", "PatternKernel", "Reporting", "implied_filters", "plan_pattern", "vectorisable"]
