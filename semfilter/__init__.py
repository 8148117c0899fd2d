"""Semantic events in, those whose PATHs hold out, with the semantic variables as columns."""

from .filter import SemanticFilter
from .subquery import SubqueryStatistics

__all__ = ["SemanticFilter", "SubqueryStatistics"]
