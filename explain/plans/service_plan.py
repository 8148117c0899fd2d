"""The quality of service of a query: when it waits, and what it does not look at (EStreams §4.7)."""

from __future__ import annotations

from collections.abc import Iterator

from ...planner import duration_in_words
from ...settings import QueryService
from .plan_node import PlanNode

__all__ = ["describe_service"]


def describe_service(service: QueryService) -> Iterator[PlanNode]:
    """Explain what the project file asks of a query; nothing where it says nothing.

    Args:
        service: `[queries.NAME]`.
    """
    if service.shed is not None:
        yield PlanNode("looks at", f"a sample of its events, {service.shed:.4g} of them; nothing is scaled up")
    if service.latency is not None:
        within = duration_in_words(service.latency)
        yield PlanNode("latency", f"{within} behind its events; where it is missed, queries of less priority wait")
    if service.priority or service.latency is not None:
        yield PlanNode("priority", f"{service.priority}; what has a smaller one waits first, and catches up later")
