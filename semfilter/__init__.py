"""Semantic events in, those whose PATHs hold out, with the semantic variables as columns."""

from .filter import SemanticFilter
from .options import NAIVE, FilterOptions
from .statistics import SubqueryStatistics

__all__ = ["NAIVE", "FilterOptions", "SemanticFilter", "SubqueryStatistics"]
