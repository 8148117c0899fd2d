"""Recorded events and queries in, rows and what was wrong with the events out; no Spark, no archive."""

from __future__ import annotations

from .event_sample import EventSample, roles_of, undeclared_stream
from .inferred_project import InferredProject, infer_project, refuse_paths
from .query_trial import try_document
from .recorded_source import RecordedStream, recorded_streams
from .trial import Trial

__all__ = [
    "EventSample",
    "InferredProject",
    "RecordedStream",
    "Trial",
    "infer_project",
    "recorded_streams",
    "refuse_paths",
    "roles_of",
    "try_document",
    "undeclared_stream",
]
