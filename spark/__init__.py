"""DataFrames of raw events in; those of semantic events, and of rows of queries, out: kaicep within a Spark job."""

from __future__ import annotations

from .event_stages import annotate, rejected
from .event_stages import filter_events as filter  # noqa: A004 - as Spark's users call it
from .match_stage import matches

__all__ = ["annotate", "filter", "matches", "rejected"]
