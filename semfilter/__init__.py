"""Semantic events in, those whose PATHs hold out, with the semantic variables as columns."""

from .explain import with_prefixes
from .filter import SemanticFilter
from .keys import Value
from .options import NAIVE, FilterOptions
from .refresh import Difference, Refreshed, difference, refresh
from .statistics import SubqueryStatistics

__all__ = [
    "NAIVE",
    "Difference",
    "FilterOptions",
    "Refreshed",
    "SemanticFilter",
    "SubqueryStatistics",
    "Value",
    "difference",
    "refresh",
    "with_prefixes",
]
