"""What is asked of queries → the data flow of the next batch: queries come, go, catch up, park between two batches."""

from __future__ import annotations

from .batch_border import BatchBorder
from .query_parking import (
    forget_parking,
    park_at_start,
    parked_already,
    parked_at_start,
    parked_at_stop,
    resume_at_start,
)

__all__ = [
    "BatchBorder",
    "forget_parking",
    "park_at_start",
    "parked_already",
    "parked_at_start",
    "parked_at_stop",
    "resume_at_start",
]
