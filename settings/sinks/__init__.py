"""What the project file says of sinks: where rows go, of which queries, and how patiently."""

from __future__ import annotations

from .sink_settings import SinkSettings, SqlSettings

__all__ = ["SinkSettings", "SqlSettings"]
