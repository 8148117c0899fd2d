"""Makes a ROBOD project that can run."""

from __future__ import annotations

from pathlib import Path

from ..project import Form, place_project
from .readings import write_readings


def prepare(folder: Path, files: int = 10, form: Form = "parquet") -> Path:
    """Write the 609,316 readings and a project file that reads them.

    Args:
        folder: the project's folder; readings go to `readings/` in it.
        files: number of files that the readings are cut into, by time.
        form: `parquet`, or `json` for JSON lines.

    Returns:
        The project file.
    """
    write_readings(folder / "readings", files, form)
    project = place_project(Path(__file__).parent, folder)
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace('format = "parquet"', f'format = "{form}"'), encoding="utf-8")
    return project
