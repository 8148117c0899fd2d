"""What Spark delivers of a batch in; a batch for the data flow out, and what became of its records."""

from __future__ import annotations

from .batch_hosting import BatchHosting, BatchIntake, RowWriter
from .driver_hosting import CollectedRecords, DriverHosting

__all__ = ["BatchHosting", "BatchIntake", "CollectedRecords", "DriverHosting", "RowWriter"]
