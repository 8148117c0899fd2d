"""The compile-time rules: a plan in, a better plan out; one rule a file."""

from __future__ import annotations

from .dependencies import event_dependencies, knowledge_dependencies
from .path_cost import most_solutions, unconnected_variable
from .residual_query import write_residual_query
from .rule_table import RULES, compile_subquery, plan_context

__all__ = [
    "RULES",
    "compile_subquery",
    "event_dependencies",
    "knowledge_dependencies",
    "most_solutions",
    "plan_context",
    "unconnected_variable",
    "write_residual_query",
]
