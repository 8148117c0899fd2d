"""Queries that are stopped with one whose output they read, or whose contexts they are in."""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import PipelineError
from ..queries import QueryGraph, QueryRuntime

__all__ = ["withhold"]


def withhold(queries: QueryGraph, flows: Sequence[QueryRuntime]) -> bool:
    """Stop each query with the one whose output it reads: it would take the missing rows for absence.

    Returns:
        Whether one was stopped.
    """
    if not any(flow.failure is not None for flow in queries.flows.values()):
        return False
    stopped = [_withhold_one(queries, flow) for flow in flows]
    return any(stopped)


def _withhold_one(queries: QueryGraph, flow: QueryRuntime) -> bool:
    label = flow.registration.label
    cause = None if flow.failure is not None else queries.cause_of(flow.query)
    if cause is not None:
        does = "reads" if queries.flows[cause].query.name in flow.streams else "is in contexts derived by"
        message = f"'{label}' {does} '{cause}', which is parked"
        flow.fail(PipelineError(message, hint=f"resume that: kaicep resume {cause}"))
    return cause is not None
