"""Executors, Python workers, machines and drivers that end at any moment: an engine's rows are the uninterrupted ones.

So are its log and what it has counted: nothing is lost, and nothing is there twice. `test_kills_at_points` ends them at
places that are known.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from kaicep.archive.log import read_segment
from kaicep.storage import BucketFolder, path_at, sorted_files
from support.buckets import SLOW_DOWN, ObjectStorage
from support.hosted_engine import project_in
from support.keyed import STREAMS, keyed_batches
from support.processes import process

BUSY = "SELECT ?e.car AS car, COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 4s) GROUP BY ?e.car"
PAIRS = "SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, Q) JOIN (?a.car = ?b.car) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)"
TEXT = f"CREATE QUERY busy AS {BUSY};\nCREATE QUERY pairs AS {PAIRS}"
Kill = tuple[str | None, int]


def filled(folder: Path, lake: BucketFolder | None = None) -> Path:
    """A project's folder with files, whose times ascend; and objects as these."""
    rng, number = Random(16), 0
    for batch in [batch for _ in range(2) for batch in keyed_batches(rng)]:
        for name, rows in batch.items():
            number += 1
            path = folder / "in" / name / f"{number:03}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            os.utime(path, (1_000_000 + number, 1_000_000 + number))
            if lake is not None:
                lake.inside(f"{folder.name}/in/{name}").write(path.name, [path.read_bytes()])
    return folder


def check(folder: Path, lake: BucketFolder | None = None) -> None:
    """Let what an engine has left be what a data flow gives that nothing meets."""
    project, files = project_in(folder), {name: [folder / "in" / name] for name in STREAMS}
    lines = [json.loads(line) for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    for name, text in (("busy", BUSY), ("pairs", PAIRS)):
        expected = json.loads(json.dumps(list(project.evaluate(text, files)), default=str))
        own = [{key: row[key] for key in expected[0]} for row in lines if row["_query"] == name]
        assert expected
        assert [_shown(row) for row in own] == [_shown(row) for row in expected]
    for name in STREAMS:
        place = folder / "var/archive" if lake is None else path_at(f"{lake}/{folder.name}/kept", lake.options)
        segments = [read_segment(path) for path in sorted_files(place / "log" / name, "*.parquet")]
        logged = [one for table in segments for one in table["_id"].to_pylist()]
        assert len(logged) > 10
        assert len(set(logged)) >= len(logged) - _late(segments)


def _late(segments: Sequence[pa.Table]) -> int:
    """How many events came late: they may come again."""
    return sum(sum(map(bool, table["_late"].to_pylist())) for table in segments)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """Without moments, which a sink writes in its own way."""
    return {key: value for key, value in row.items() if not key.startswith("_")}


def job(folder: Path, master: str, kills: Sequence[Kill], lake: BucketFolder | None) -> None:
    """Say what is to be done."""
    known = None if lake is None else {"bucket": lake.bucket, "prefix": lake.prefix, "options": [*lake.options]}
    content = {"master": master, "text": TEXT, "kills": kills, "lake": known}
    (folder / "job.json").write_text(json.dumps(content), encoding="utf-8")


def answers(folder: Path, master: str, kills: Sequence[Kill], lake: BucketFolder | None = None) -> list[dict[str, Any]]:
    """What an engine tells of each of its runs, each of which is checked."""
    for place in range(len(kills)):
        filled(folder / str(place), lake)
    job(folder, master, kills, lake)
    with process("hosted_engine", folder) as driver:
        told = [json.loads(line) for line in driver.stdout or ()]
    assert len(told) == len(kills)
    for place in range(len(kills)):
        check(folder / str(place), lake)
    return told


def outlived(folder: Path, rng: Random, kills: int, lake: BucketFolder | None = None) -> int:
    """End drivers amid their work, until one comes to the end; how many have been ended."""
    filled(folder / "0", lake)
    job(folder, "local[2,4]", [(None, 0)], lake)
    ended = 0
    while True:
        with process("hosted_engine", folder) as driver:
            if ended < kills:
                _await(folder / "0" / "var/state/hosting", driver)
                time.sleep(rng.uniform(0.0, 4.0))
                driver.kill()
            over = bool(list(driver.stdout or ()))
        ended += not over
        if over:
            check(folder / "0", lake)
            return ended


def _await(folder: Path, driver: Any) -> None:
    """Wait until an engine has begun."""
    while not folder.is_dir() and driver.poll() is None:
        time.sleep(0.05)


@pytest.mark.long
@pytest.mark.spark
def test_whatever_ends_over_a_bucket(tmp_path: Path, object_storage: ObjectStorage) -> None:
    """Sources, log and what tasks share are there; the bucket slows down meanwhile."""
    rng = Random(5)
    object_storage.refuse = lambda _method, _path: SLOW_DOWN if rng.random() < 0.02 else None
    (tmp_path / "cluster").mkdir()
    kills: list[Kill] = [(what, seed) for seed in range(4) for what in ("python", "executor")]
    told = answers(tmp_path / "cluster", "cluster", [*kills, ("worker", 50), (None, 0)], object_storage.folder("a"))
    assert sum(bool(one["killed"]) for one in told) > len(kills) // 2
    ended = 0
    for seed in range(3):
        (tmp_path / f"drivers-{seed}").mkdir()
        ended += outlived(tmp_path / f"drivers-{seed}", Random(seed), 3, object_storage.folder("b"))
    assert ended > 5


@pytest.mark.long
@pytest.mark.spark
def test_whatever_ends_in_the_long_run(tmp_path: Path) -> None:
    """A whole worker as the last one: it does not come back."""
    (tmp_path / "cluster").mkdir()
    kills: list[Kill] = [(what, seed) for seed in range(16) for what in ("python", "executor")]
    told = answers(tmp_path / "cluster", "cluster", [*kills, ("worker", 50), (None, 0)])
    assert sum(bool(one["killed"]) for one in told) > len(kills) // 2
    ended = 0
    for seed in range(6):
        (tmp_path / f"drivers-{seed}").mkdir()
        ended += outlived(tmp_path / f"drivers-{seed}", Random(seed), 3)
    assert ended > 9
