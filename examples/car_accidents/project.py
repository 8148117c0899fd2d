"""Makes a project of car accidents that can run."""

from __future__ import annotations

from pathlib import Path

from ..linear_road.reports import write_reports
from ..project import place_project


def prepare(folder: Path, files: int = 9) -> Path:
    """Write Linear Road's 197,333 position reports (Parquet) and a project file that reads them.

    Args:
        folder: the project's folder; reports go to `reports/` in it, what is told to `told/`.
        files: number of files that the reports are cut into, by time; with 9, one has five minutes.

    Returns:
        The project file.
    """
    write_reports(folder / "reports", files)
    return place_project(Path(__file__).parent, folder)
