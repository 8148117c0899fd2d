"""Candidates of patterns that repeat nothing in; matches, as joins of columns, out."""

from __future__ import annotations

from .loose_pattern import LoosePatternKernel
from .partial_match_join import PartialMatchJoin
from .pattern_dnf import vectorisable
from .pattern_operator import PatternKernel
from .pattern_part import pattern_parts
from .predicate_inference import implied_filters
from .shared_pattern import SharedPatternKernel

__all__ = [
    "LoosePatternKernel",
    "PartialMatchJoin",
    "PatternKernel",
    "SharedPatternKernel",
    "implied_filters",
    "pattern_parts",
    "vectorisable",
]
