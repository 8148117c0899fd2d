"""Batches in, from wherever they come; admitted events and the rows of every query out; no Spark."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .backfill import Backfill, queries_with_a_past
    from .batch import Batch, BatchSource, Judgement, live_batch
    from .batch_result import BatchResult, StreamResult, joined, merged
    from .border_requests import BorderRequests
    from .clock_bound import refuse_ahead
    from .dataflow import CancelledError, Dataflow, admission_of
    from .idle_streams import IdleStreams
    from .parked_queries import ParkedQueries, ParkedQuery, failure_of, parked_notes
    from .query_runtime import QueryRuntime
    from .registration import Registration

_LATER = {
    "Backfill": ".backfill",
    "Batch": ".batch",
    "BatchResult": ".batch_result",
    "BatchSource": ".batch",
    "BorderRequests": ".border_requests",
    "CancelledError": ".dataflow",
    "Dataflow": ".dataflow",
    "IdleStreams": ".idle_streams",
    "Judgement": ".batch",
    "ParkedQueries": ".parked_queries",
    "ParkedQuery": ".parked_queries",
    "QueryRuntime": ".query_runtime",
    "Registration": ".registration",
    "StreamResult": ".batch_result",
    "admission_of": ".dataflow",
    "failure_of": ".parked_queries",
    "joined": ".batch_result",
    "live_batch": ".batch",
    "merged": ".batch_result",
    "parked_notes": ".parked_queries",
    "queries_with_a_past": ".backfill",
    "refuse_ahead": ".clock_bound",
}

__all__ = [
    "Backfill",
    "Batch",
    "BatchResult",
    "BatchSource",
    "BorderRequests",
    "CancelledError",
    "Dataflow",
    "IdleStreams",
    "Judgement",
    "ParkedQueries",
    "ParkedQuery",
    "QueryRuntime",
    "Registration",
    "StreamResult",
    "admission_of",
    "failure_of",
    "joined",
    "live_batch",
    "merged",
    "parked_notes",
    "queries_with_a_past",
    "refuse_ahead",
]


def __getattr__(name: str) -> object:
    """What answers queries, on first use: who checks or explains one compiles it only."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
