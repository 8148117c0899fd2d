"""A query, registered or not, goes in; the explanation of how it is answered comes out, as one tree of plan nodes."""

from __future__ import annotations

from .plan_node import PlanNode
from .query_plan import query_plan
from .registered_queries import explain_query, explain_registrations, explain_runtime
from .semantic_filter_plan import semantic_filter_plan

__all__ = [
    "PlanNode",
    "explain_query",
    "explain_registrations",
    "explain_runtime",
    "query_plan",
    "semantic_filter_plan",
]
