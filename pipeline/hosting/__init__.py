"""The Spark job around the data flow, the engine that runs it, and the archiver beside it."""

from __future__ import annotations

from .archiver import archive
from .handle import QueryHandle
from .signals import Signals
from .streaming_engine import StreamingEngine

__all__ = [
    "QueryHandle",
    "Signals",
    "StreamingEngine",
    "archive",
]
