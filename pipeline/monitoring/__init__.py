"""What an engine has done and how it fares → its status as a file, as metrics, and as structured log lines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .logging_context import log_context
from .recent_rates import RecentRates
from .stage_clock import StageClock

if TYPE_CHECKING:
    from .engine_status import (
        ActionStatus,
        ArchiveStatus,
        BatchAtWork,
        ContextEvents,
        EngineState,
        EngineStatus,
        ExecutorStatus,
        QueryStatus,
        ShedEvents,
        StageStatus,
        StreamStatus,
        read_status,
        status_bytes,
        status_file,
        status_of,
    )
    from .log_output import LogOutput
    from .metrics import metrics_bytes, write_metrics
    from .status_writer import StatusWriter

__all__ = [
    "ActionStatus",
    "ArchiveStatus",
    "BatchAtWork",
    "ContextEvents",
    "EngineState",
    "EngineStatus",
    "ExecutorStatus",
    "LogOutput",
    "QueryStatus",
    "RecentRates",
    "ShedEvents",
    "StageClock",
    "StageStatus",
    "StatusWriter",
    "StreamStatus",
    "log_context",
    "metrics_bytes",
    "read_status",
    "status_bytes",
    "status_file",
    "status_of",
    "write_metrics",
]

# What only an engine needs that runs: whoever answers a query over a file waits for none of it.
_OF_ENGINES = {
    **dict.fromkeys(
        (
            "ActionStatus",
            "ArchiveStatus",
            "BatchAtWork",
            "ContextEvents",
            "EngineState",
            "EngineStatus",
            "ExecutorStatus",
            "QueryStatus",
            "ShedEvents",
            "StageStatus",
            "StreamStatus",
            "read_status",
            "status_bytes",
            "status_file",
            "status_of",
        ),
        ".engine_status",
    ),
    "LogOutput": ".log_output",
    "metrics_bytes": ".metrics",
    "write_metrics": ".metrics",
    "StatusWriter": ".status_writer",
}


def __getattr__(name: str) -> object:
    if name not in _OF_ENGINES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_OF_ENGINES[name], __name__), name)
