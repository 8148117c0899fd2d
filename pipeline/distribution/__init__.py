"""The files of an engine's batches in; what a data flow makes of them out: read, judged, logged, answered by tasks."""

from __future__ import annotations

from .distributed_flow import DistributedFlow
from .executor_hosting import ExecutorHosting
from .split_batch import SplitBatch
from .task_place import TaskPlace, TaskPool

__all__ = ["DistributedFlow", "ExecutorHosting", "SplitBatch", "TaskPlace", "TaskPool"]
