"""What an executor has done of the work of an engine, in numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..sharding import LogReport, ShardReport, SplitReport

__all__ = ["ExecutorFigures"]


@dataclass(frozen=True, slots=True)
class ExecutorFigures:
    """One executor, since the engine began.

    Attributes:
        tasks: that it has done; one may be of several splits or shards.
        splits: files that it has read.
        events: records of these.
        shards: that it has answered.
        logged: events that it has written to the log.
        seconds: that all that took, by wall clock.
    """

    tasks: int = 0
    splits: int = 0
    events: int = 0
    shards: int = 0
    logged: int = 0
    seconds: float = 0.0

    def after(self, report: Any, seconds: float) -> ExecutorFigures:
        """The figures after one more task, as its report says."""
        figures = replace(self, tasks=self.tasks + 1, seconds=self.seconds + seconds)
        match report:
            case SplitReport(records=records):
                return replace(figures, splits=self.splits + 1, events=self.events + records)
            case ShardReport(states=states):
                return replace(figures, shards=self.shards + len(states))
            case LogReport(rows=rows):
                return replace(figures, logged=self.logged + rows)
            case _:
                return figures
