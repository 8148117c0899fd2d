"""The Spark job around the data flow, the engine that runs it, and the archiver beside it."""

from __future__ import annotations

from .archiver import archive
from .engine import StreamingEngine
from .handle import QueryHandle
from .signals import Signals

__all__ = [
    "QueryHandle",
    "Signals",
    "StreamingEngine",
    "archive",
]
