"""Makes a project for the broker that somebody has."""

from __future__ import annotations

from pathlib import Path

from ..project import place_project

_OWN = Path(__file__).parent
_SERVER = "mqtt://localhost:1883"


def prepare(folder: Path, server: str = _SERVER) -> Path:
    """Write a project file that listens to a broker, and the folder that is posted to.

    Args:
        folder: the project's folder.
        server: `mqtt://host:port` of the broker.

    Returns:
        The project file.
    """
    file = place_project(_OWN, folder)
    file.write_text(file.read_text(encoding="utf-8").replace(_SERVER, server), encoding="utf-8")
    (folder / "var" / "inbox" / "valve").mkdir(parents=True, exist_ok=True)
    return file
