"""Batches of raw tuples in; admitted events and the rows of every query out; no Spark."""

from __future__ import annotations

from .backfill_run import CatchUp, begin_in_the_past
from .backfilled_query import LateQuery
from .batch_result import Past, Step, StreamStep, joined, together
from .dataflow import Dataflow, admission_of, shape_of
from .query_runtime import QueryFlow, Registration

__all__ = [
    "CatchUp",
    "Dataflow",
    "LateQuery",
    "Past",
    "QueryFlow",
    "Registration",
    "Step",
    "StreamStep",
    "admission_of",
    "begin_in_the_past",
    "joined",
    "shape_of",
    "together",
]
