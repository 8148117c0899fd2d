"""Recorded events and queries in, rows and what was wrong with the events out; no Spark, no archive."""

from __future__ import annotations

from .query_trial import try_document
from .recorded_source import RecordedStream, recorded_streams
from .trial import Trial

__all__ = ["RecordedStream", "Trial", "recorded_streams", "try_document"]
