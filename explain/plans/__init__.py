"""A query, registered or not, goes in; the explanation of how it is answered comes out, as one tree of plan nodes."""

from __future__ import annotations

from .asked_plan import explain_asked
from .plan_node import PlanNode
from .query_plan import describe_query
from .registered_queries import explain_query, explain_registrations, explain_runtime, runtimes_of
from .semantic_filter_plan import describe_semantic_filter

__all__ = [
    "PlanNode",
    "describe_query",
    "describe_semantic_filter",
    "explain_asked",
    "explain_query",
    "explain_registrations",
    "explain_runtime",
    "runtimes_of",
]
