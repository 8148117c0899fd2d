"""Engines over a cluster whose batches wait at halts: what they are given, and whether they leave what they are to."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from kaicep.archive.log import read_segment
from kaicep.storage import sorted_files

from .halting_engine import DRIVER, FILES_A_BATCH, TASKS
from .halts import Halt, Halts
from .keyed import STREAMS

__all__ = ["BATCHES", "check_left", "done", "lives", "prepared"]

BATCHES = 12
READINGS = 12
"""So many a file has at least."""
_BATCH = re.compile(r"\b\d{9}\b")
"""In the names of what tasks write."""


def prepared(folder: Path, rng: Random, master: str, halts: Sequence[Halt], spark: Mapping[str, str]) -> Halts:
    """Write all that `halting_engine` reads."""
    _write_readings(folder / "in", rng)
    found = Halts(folder / "halts")
    found.plan(halts)
    (folder / "job.json").write_text(json.dumps({"master": master, "spark": {**spark}}), encoding="utf-8")
    return found


def _write_readings(folder: Path, rng: Random) -> None:
    """Files whose times ascend and overlap: readings at one moment, twice, late, without a key; and what is none."""
    front = 0
    for number in range(BATCHES * FILES_A_BATCH):
        for name in STREAMS:
            own: list[dict[str, Any]] = []
            while len(own) < READINGS:
                front += rng.random() < 0.3
                second = max(front - (rng.random() < 0.1) * rng.randrange(9), 0)
                numbers = {one: rng.randrange(most) for one, most in (("seg", 2), ("v", 10), ("car", 4))}
                at = f"2024-01-01T00:{second // 60:02}:{second % 60:02}Z"
                reading = {"id": f"{number}-{len(own)}", "t": at, "speed": 0.5, **numbers}
                if rng.random() < 0.1:
                    del reading["car"]
                own += [reading] * (1 + (rng.random() < 0.1))
            if rng.random() < 0.2:
                own.append({"id": "none", "t": "soon"})
            path = folder / name / f"{number:03}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in own), encoding="utf-8")
            os.utime(path, (1_000_000 + number, 1_000_000 + number))


def lives(driver: subprocess.Popen[str]) -> None:
    """Let a driver be at work still."""
    assert driver.poll() is None, "the driver has ended by itself"


def done(folder: Path) -> dict[int, float]:
    """When each batch was done that executors have answered, by its number; the end of the streams is one."""
    lines = (folder / TASKS / "done.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    assert [number for number, _ in found] == [*range(1, len(found) + 1)]
    return dict(found)


def check_left(folder: Path) -> None:
    """Let both runs have left the same, and of attempts that did not count nothing but those of the last batches."""
    own, other = (_left(folder / hosting) for hosting in (TASKS, DRIVER))
    assert all(other.values())
    for what, of in other.items():
        assert own[what] == of, what
    attempts = [*(folder / TASKS / "var/state/hosting").iterdir(), *(folder / TASKS / "var/archive").rglob(".tmp-*")]
    batches = [int(found[0]) for path in attempts if (found := _BATCH.search(path.name)) is not None]
    assert min(batches) >= BATCHES - 1


def _left(folder: Path) -> dict[str, Any]:
    """What a run has left: each row with its `_id`, in order; each event of the logs, by batch; what was counted."""
    archive, letters = folder / "var/archive", folder / "var/state/dead-letters"
    return {
        "rows": (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines(),
        "events": _logged(archive / "log"),
        "matches": _logged(archive / "matches"),
        "letters": {path.parent.name + path.name: path.read_text() for path in letters.glob("*/*.jsonl")},
        "counted": (folder / "counted.json").read_text(encoding="utf-8"),
    }


def _logged(log: Path) -> dict[str, Any]:
    """What is in the segments of a log, each of which is a batch of a stream; a column that holds nothing may miss."""
    return {
        f"{path.parent.name}/{path.name}": [
            {name: value for name, value in sorted(row.items()) if value is not None}
            for row in read_segment(path).to_pylist()
        ]
        for path in sorted_files(log, "*/*.parquet")
    }
