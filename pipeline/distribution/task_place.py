"""Where tasks run, and what they read and write there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ...storage import SharedFolder, StoragePath
from ..sharding import TaskRunner

__all__ = ["TaskPlace", "TaskPool"]


class TaskPool(TaskRunner, Protocol):
    """Where tasks run."""

    @property
    def parallelism(self) -> int:
        """How many run at the same time."""

    def begin(self) -> None:
        """Take tasks, also after a cancellation."""

    def cancel(self) -> None:
        """End those that run, and take none until `begin`; from any thread."""


@dataclass(frozen=True, slots=True)
class TaskPlace:
    """Where tasks run.

    Attributes:
        run: runs them.
        tasks: so many at the same time.
        folder: for what they leave for each other, and the states of shards; all of them reach it.
        shards: into how many a query is cut at most, when its first batch is done.
        log: the folder of the log; `None`: there is none.
        matches: that of the log of matches, likewise.
        say: takes a line of the log about files that cannot be read.
        few: so many rows of a batch come to the driver, whatever sinks there are.
    """

    run: TaskRunner
    tasks: int
    folder: SharedFolder
    shards: int
    log: StoragePath | None
    matches: StoragePath | None
    say: Callable[[str], None]
    few: int
