"""Batches in, from wherever they come; admitted events and the rows of every query out; no Spark."""

from __future__ import annotations

from .backfill import Backfill, queries_with_a_past
from .batch import Batch, BatchSource, Judgement, live_batch
from .batch_result import BatchResult, StreamResult, joined, merged
from .clock_bound import refuse_ahead
from .dataflow import Dataflow, admission_of, shape_of
from .idle_streams import IdleStreams
from .query_runtime import QueryRuntime, Registration

__all__ = [
    "Backfill",
    "Batch",
    "BatchResult",
    "BatchSource",
    "Dataflow",
    "IdleStreams",
    "Judgement",
    "QueryRuntime",
    "Registration",
    "StreamResult",
    "admission_of",
    "joined",
    "live_batch",
    "merged",
    "queries_with_a_past",
    "refuse_ahead",
    "shape_of",
]
