"""What an executor has done of the work of an engine, in numbers, report by report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..monitoring import ExecutorStatus
from ..sharding import LogReport, ShardReport, SplitReport

__all__ = ["counted"]


def counted(status: ExecutorStatus, report: Any, seconds: float) -> ExecutorStatus:
    """What an executor has done after one more piece of work.

    Args:
        status: before.
        report: of the work.
        seconds: that it took.
    """
    status = replace(status, tasks=status.tasks + 1, seconds=status.seconds + seconds)
    match report:
        case SplitReport(records=records):
            return replace(status, splits=status.splits + 1, records=status.records + records)
        case ShardReport(states=states):
            return replace(status, shards=status.shards + len(states))
        case LogReport(rows=rows):
            return replace(status, logged=status.logged + rows)
        case _:
            return status
