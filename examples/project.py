"""Puts a shipped example into a folder of its own, where it can run and write."""

from __future__ import annotations

import re
from pathlib import Path

_SHIPPED_FILE = re.compile(r'"([^"\n]+\.(?:ttl|chi))"')


def place_project(example: Path, folder: Path) -> Path:
    """Write the example's project file into `folder`, its models and queries named by absolute path.

    Args:
        example: the example's folder, with `kaicep.toml`.
        folder: where the project will run: its readings, archive and state stay relative to it. Made if missing.

    Returns:
        The written project file.
    """
    text = (example / "kaicep.toml").read_text(encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    project = folder / "kaicep.toml"
    project.write_text(
        _SHIPPED_FILE.sub(lambda found: f'"{(example / found[1]).resolve().as_posix()}"', text), encoding="utf-8"
    )
    return project
