"""Recorded events in files, and a Spark session, in; rows out, read and found by its executors."""

from __future__ import annotations

from .recorded_job import evaluate_on
from .row_dump import write_rows
from .spark_tasks import SparkTasks

__all__ = ["SparkTasks", "evaluate_on", "write_rows"]
