"""Makes a shopping project that can run."""

from __future__ import annotations

import shutil
from pathlib import Path

from ..project import place_project
from .orders import SEED, write_tasks

_OWN = Path(__file__).parent


def prepare(folder: Path, files: int = 10, *, hours: int = 5, seed: int = SEED) -> Path:
    """Write generated tasks of orders (JSON lines), a project file that reads them, and queries to ask.

    Args:
        folder: the project's folder; tasks go to `tasks/` in it, the queries to ask to `asked/`.
        files: number of files that the tasks are cut into, by time.
        hours: length of the recording.
        seed: equal seeds give equal tasks.

    Returns:
        The project file.
    """
    write_tasks(folder / "tasks", files, hours=hours, seed=seed)
    shutil.copytree(_OWN / "asked", folder / "asked", dirs_exist_ok=True)
    return place_project(_OWN, folder)
