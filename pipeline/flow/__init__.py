"""Batches of raw tuples in; admitted events and the rows of every query out; no Spark."""

from __future__ import annotations

from .backfill_run import Backfill, begin_in_the_past
from .backfilled_query import BackfilledQuery
from .batch_result import BatchResult, Past, StreamResult, joined, together
from .dataflow import Dataflow, admission_of, shape_of
from .query_runtime import QueryRuntime, Registration

__all__ = [
    "Backfill",
    "BackfilledQuery",
    "BatchResult",
    "Dataflow",
    "Past",
    "QueryRuntime",
    "Registration",
    "StreamResult",
    "admission_of",
    "begin_in_the_past",
    "joined",
    "shape_of",
    "together",
]
