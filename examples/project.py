"""Puts a shipped example and its readings into a folder of its own, where it can run and write."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Literal

import polars as pl

Form = Literal["parquet", "json"]

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


def write_parts(readings: pl.DataFrame, folder: Path, files: int, form: Form) -> list[Path]:
    """Write `readings` into `files` files of equal size whose names are in the order of the rows.

    Files that an earlier call left in the folder are removed.

    Raises:
        ValueError: `files` is not positive.
    """
    if files < 1:
        raise ValueError("the readings need at least one file")
    folder.mkdir(parents=True, exist_ok=True)
    for earlier in folder.glob("readings-*"):
        earlier.unlink()
    cuts = [readings.height * number // files for number in range(files + 1)]
    # Files arrive in the order of their modification times, which Spark reads in milliseconds: one apart.
    first = time.time() - files / 1000
    return [
        _write(
            readings.slice(cuts[k], cuts[k + 1] - cuts[k]), folder / f"readings-{k:04d}.{form}", form, first + k / 1000
        )
        for k in range(files)
    ]


def _write(part: pl.DataFrame, path: Path, form: Form, modified: float) -> Path:
    # Written aside and renamed, so that a job that watches the folder never reads half a file.
    unfinished = path.with_name(f".{path.name}.part")
    if form == "json":
        part.write_ndjson(unfinished)
    else:
        part.write_parquet(unfinished)
    os.utime(unfinished, (modified, modified))
    return unfinished.replace(path)
