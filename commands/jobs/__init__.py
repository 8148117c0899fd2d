"""Projects in, a Spark job around them; matches, progress and a summary out."""

from __future__ import annotations

from .demonstration import run_demo
from .existing_output import settle_existing_output
from .query_run import run_queries

__all__ = ["run_demo", "run_queries", "settle_existing_output"]
