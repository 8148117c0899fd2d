"""Semantic events in, those whose PATHs hold out, with the semantic variables as columns."""

from __future__ import annotations

from .event_substitution import replace_variable
from .plan import KNOWN_SMALL, PlanContext, ResidualQuery
from .refresh import KnowledgeDifference, RefreshedFilter, knowledge_difference, refresh_filter
from .semantic_filter import SemanticFilter, check_connected
from .sparql_text import literal, select_text, term_text, triple_text
from .term_values import term_column

__all__ = [
    "KNOWN_SMALL",
    "KnowledgeDifference",
    "PlanContext",
    "RefreshedFilter",
    "ResidualQuery",
    "SemanticFilter",
    "check_connected",
    "knowledge_difference",
    "literal",
    "refresh_filter",
    "replace_variable",
    "select_text",
    "term_column",
    "term_text",
    "triple_text",
]
