"""Where tasks run is given once, and is what an engine's hosting has."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.distribution.task_place import TaskPlace, TaskPool
from kaicep.storage import LocalFolder
from support.hostings import TasksHere


def test_a_pool_runs_tasks_of_a_place(tmp_path: Path) -> None:
    pool: TaskPool = TasksHere()
    place = TaskPlace(pool, pool.parallelism, LocalFolder(tmp_path), 3, None, None, lambda _: None, 0)
    assert (place.tasks, place.shards) == (2, 3)
    assert place.run is pool
