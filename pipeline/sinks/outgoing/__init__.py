"""Rows in; kept durably with their batch, and delivered from there to webhooks, brokers and databases."""

from __future__ import annotations

from .project_sinks import check_sink, project_sinks
from .row_calls import RowCalls

__all__ = ["RowCalls", "check_sink", "project_sinks"]
