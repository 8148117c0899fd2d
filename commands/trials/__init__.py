"""Recorded events and a query in, its rows and what was wrong with the events out; no Spark, no archive."""

from __future__ import annotations

from .recorded_source import read_recorded

__all__ = ["read_recorded"]
