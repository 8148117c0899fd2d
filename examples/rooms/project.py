"""Makes a project of rooms and their situations that can run."""

from __future__ import annotations

from pathlib import Path

from ..project import place_project
from ..robod.readings import write_readings


def prepare(folder: Path, files: int = 10) -> Path:
    """Write ROBOD's 609,316 readings (Parquet) and a project file that reads them.

    Args:
        folder: the project's folder; readings go to `readings/` in it.
        files: number of files that the readings are cut into, by time.

    Returns:
        The project file.
    """
    write_readings(folder / "readings", files)
    return place_project(Path(__file__).parent, folder)
