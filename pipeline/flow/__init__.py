"""Batches in, from wherever they come; admitted events and the rows of every query out; no Spark."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answering import LogTarget, QueryRows, RowTarget, RowTargets, WrittenRows, withhold
    from .backfill import Backfill, queries_with_a_past, request_of
    from .batch import Batch, BatchSource, Judgement, live_batch
    from .batch_result import BatchResult, StreamResult, StreamTally, joined, merged
    from .border_requests import BorderRequests
    from .clock_bound import refuse_ahead
    from .dataflow import Dataflow, is_state_of, seconds_for, state_of_query
    from .end_rehearsal import rows_at_end
    from .idle_streams import IdleStreams, Silence
    from .queries import (
        Asked,
        CancelledError,
        CandidateSelection,
        ParkedQueries,
        ParkedQuery,
        QueryRuntime,
        Registration,
        Withdrawal,
        WithdrawnQueries,
        bounds_of,
        failure_of,
        kin_of,
        next_wider,
        parked_notes,
        parking_of,
    )
    from .rules import CALLS
    from .source_streams import StreamMoments, admission_of, no_identities

_LATER = {
    "Asked": ".queries",
    "CALLS": ".rules",
    "Backfill": ".backfill",
    "Batch": ".batch",
    "BatchResult": ".batch_result",
    "BatchSource": ".batch",
    "BorderRequests": ".border_requests",
    "CancelledError": ".queries",
    "CandidateSelection": ".queries",
    "Dataflow": ".dataflow",
    "IdleStreams": ".idle_streams",
    "Judgement": ".batch",
    "ParkedQueries": ".queries",
    "ParkedQuery": ".queries",
    "QueryRows": ".answering",
    "withhold": ".answering",
    "LogTarget": ".answering",
    "RowTarget": ".answering",
    "RowTargets": ".answering",
    "WrittenRows": ".answering",
    "QueryRuntime": ".queries",
    "Registration": ".queries",
    "Silence": ".idle_streams",
    "StreamMoments": ".source_streams",
    "StreamResult": ".batch_result",
    "StreamTally": ".batch_result",
    "Withdrawal": ".queries",
    "WithdrawnQueries": ".queries",
    "admission_of": ".source_streams",
    "bounds_of": ".queries",
    "kin_of": ".queries",
    "next_wider": ".queries",
    "failure_of": ".queries",
    "is_state_of": ".dataflow",
    "no_identities": ".source_streams",
    "joined": ".batch_result",
    "live_batch": ".batch",
    "merged": ".batch_result",
    "parked_notes": ".queries",
    "parking_of": ".queries",
    "queries_with_a_past": ".backfill",
    "refuse_ahead": ".clock_bound",
    "request_of": ".backfill",
    "rows_at_end": ".end_rehearsal",
    "seconds_for": ".dataflow",
    "state_of_query": ".dataflow",
}

__all__ = [
    "CALLS",
    "Asked",
    "Backfill",
    "Batch",
    "BatchResult",
    "BatchSource",
    "BorderRequests",
    "CancelledError",
    "CandidateSelection",
    "Dataflow",
    "IdleStreams",
    "Judgement",
    "LogTarget",
    "ParkedQueries",
    "ParkedQuery",
    "QueryRows",
    "QueryRuntime",
    "Registration",
    "RowTarget",
    "RowTargets",
    "Silence",
    "StreamMoments",
    "StreamResult",
    "StreamTally",
    "Withdrawal",
    "WithdrawnQueries",
    "WrittenRows",
    "admission_of",
    "bounds_of",
    "failure_of",
    "is_state_of",
    "joined",
    "kin_of",
    "live_batch",
    "merged",
    "next_wider",
    "no_identities",
    "parked_notes",
    "parking_of",
    "queries_with_a_past",
    "refuse_ahead",
    "request_of",
    "rows_at_end",
    "seconds_for",
    "state_of_query",
    "withhold",
]


def __getattr__(name: str) -> object:
    """What answers queries, on first use: who checks or explains one compiles it only."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
