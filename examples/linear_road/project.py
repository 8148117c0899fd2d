"""Makes a Linear Road project that can run."""

from __future__ import annotations

from pathlib import Path

from ..project import place_project
from .reports import write_reports


def prepare(folder: Path, files: int = 9, expressways: int = 1) -> Path:
    """Write the position reports (Parquet) and a project file that reads them.

    Args:
        folder: the project's folder; reports go to `reports/` in it.
        files: number of files that the reports are cut into, by time; with 9, one has five minutes.
        expressways: how often the recorded expressway stands beside itself, with other vehicles.

    Returns:
        The project file.
    """
    write_reports(folder / "reports", files, expressways=expressways)
    return place_project(Path(__file__).parent, folder)
