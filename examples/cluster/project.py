"""Makes the project that a cluster runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from ..campus import workload_w
from ..project import place_project, write_parts

HERE = Path(__file__).parent
SENSORS, SEED = 1_000, 7
MASTER, KNOWLEDGE = "spark://127.0.0.1:7077", "campus.ttl"


def prepare(folder: Path, files: int = 20, master: str = MASTER, events: int = 1_000_000) -> Path:
    """Write workload W (Parquet), its knowledge, and a project file that reads them.

    Args:
        folder: the project's folder; readings go to `readings/` in it.
        files: number of files that the readings are cut into, by time; two of them are a batch.
        master: URL of the cluster.
        events: number of readings.

    Returns:
        The project file.
    """
    file = place_project(HERE, folder)
    turtle, _ = workload_w.knowledge(SENSORS, np.random.default_rng([SEED, 1]))
    (folder / KNOWLEDGE).write_text(turtle, encoding="utf-8")
    write_parts(readings(events), folder / "readings", files, "parquet")
    shipped, placed = ((place / KNOWLEDGE).resolve().as_posix() for place in (HERE, folder))
    text = file.read_text(encoding="utf-8").replace(MASTER, master).replace(shipped, placed)
    file.write_text(text, encoding="utf-8")
    return file


def readings(events: int) -> pl.DataFrame:
    """The first readings of W, in order of time."""
    sensor, time, flow = workload_w.readings(events, SENSORS, np.random.default_rng([SEED, 2]))
    moments = pl.Series(time).cast(pl.Datetime("ms", "UTC"))
    return pl.DataFrame({"sensorID": [f"s{one}" for one in sensor.tolist()], "timestamp": moments, "flowrate": flow})
