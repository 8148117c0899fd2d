"""Makes a Soda Hall project that can run."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from ..project import place_project
from .readings import SEED, write_readings

_STEP = timedelta(minutes=5)


def prepare(folder: Path, files: int = 4, *, step: timedelta = _STEP, hours: int = 24, seed: int = SEED) -> Path:
    """Write generated readings (JSON lines) and a project file that reads them.

    Args:
        folder: the project's folder; readings go to `readings/` in it.
        files: number of files that the readings are cut into, by time.
        step: time between two readings of a sensor.
        hours: length of the recording.
        seed: equal seeds give equal readings.

    Returns:
        The project file.
    """
    write_readings(folder / "readings", files, step=step, hours=hours, seed=seed)
    return place_project(Path(__file__).parent, folder)
