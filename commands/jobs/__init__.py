"""Projects in, a Spark job around them; matches, progress and a summary out."""

from __future__ import annotations

from .demonstration import run_demo
from .existing_output import settle_existing_output
from .query_run import run_queries
from .recorded_sources import all_recorded, with_recorded_sources

__all__ = ["all_recorded", "run_demo", "run_queries", "settle_existing_output", "with_recorded_sources"]
