"""Rows in; kept durably with their batch, and delivered from there to webhooks, brokers and databases."""

from __future__ import annotations

from .project_sinks import check_sink, sink_receivers
from .row_calls import RowCalls

__all__ = ["RowCalls", "check_sink", "sink_receivers"]
