"""A run that is interrupted at any moment and started again gives what an uninterrupted run gives."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest

pytestmark = pytest.mark.spark

PROJECT = """\
[engine]
trigger = "0s"

[streams.air]
event_type = "<urn:Report>"
time       = { attribute = "at" }
identity   = ["sensor", "at"]
lateness   = "2s"
source     = { format = "json", path = "in/", maxFilesPerTrigger = 1 }

[streams.air.attributes]
sensor = { datatype = "xsd:string" }
flow   = { datatype = "xsd:double" }
"""
ONCE = PROJECT.replace("maxFilesPerTrigger", 'cleanSource = "delete", maxFilesPerTrigger')
QUERIES = """\
CREATE QUERY rise AS SELECT ?a.sensor, ?b.flow AS flow FROM (?a, air), (?b, air)
FILTER (?a.flow < 20) FILTER (?b.flow > 80) JOIN (?a.sensor = ?b.sensor) SEQ (?a, ?b) WINDOW (?a, ?b, 30s);
CREATE QUERY mean AS SELECT AVG(?e.flow) AS mean, COUNT(?e) AS n FROM (?e, air) WINDOW (?e, batch, 10s)
GROUP BY ?e.sensor;
CREATE QUERY rises AS SELECT COUNT(?r) AS n FROM (?r, rise) WINDOW (?r, sliding, 1min)
"""
FILES = 16
ROWS = 400


def prepare(folder: Path, project: str = PROJECT) -> None:
    """A project with files of readings, the same in every folder."""
    source = random.Random(20)
    (folder / "in").mkdir(parents=True)
    (folder / "kaicep.toml").write_text(project, encoding="utf-8")
    (folder / "all.chi").write_text(QUERIES, encoding="utf-8")
    for number in range(FILES):
        seconds = [max(0, number * ROWS // 4 + row // 4 + source.choice([0, 0, -1])) for row in range(ROWS)]
        frame = pl.DataFrame({
            "sensor": [source.choice("abcdefgh") for _ in seconds],
            "at": [f"2026-03-01T{s // 3600:02d}:{s // 60 % 60:02d}:{s % 60:02d}Z" for s in seconds],
            "flow": [source.randint(0, 200) / 2 for _ in seconds],
        })  # fmt: skip
        path = folder / "in" / f"{number:04d}.json"
        frame.write_ndjson(path)
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))


def command(folder: Path, *options: str) -> list[str]:
    out = str(folder / "rows.jsonl")
    return [sys.executable, "-m", "kaicep", "run", str(folder), "-Q", str(folder / "all.chi"), "--out", out, *options]


def finish(folder: Path) -> dict[str, list[str]]:
    """Run to the end of what is there; each query's rows, in order.

    How the rows of several queries alternate in the file follows the batches. Spark may put two files into one when it
    was interrupted after it noted a file and before it noted the batch.
    """
    done = subprocess.run(command(folder, "--once", "--quiet"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows: dict[str, list[str]] = defaultdict(list)
    for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines():
        rows[json.loads(line)["_query"]].append(line)
    return rows


def interrupt(folder: Path, how: signal.Signals, batches: int, delay: float) -> None:
    """Start a run and stop it `delay` seconds after its `batches`-th snapshot."""
    process = subprocess.Popen(command(folder, "--quiet"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    snapshots = folder / "var" / "state" / "snapshots"
    deadline = time.monotonic() + 600
    while not any(int(p.stem) >= batches for p in snapshots.glob("*.snapshot")) and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(delay)
    process.send_signal(how)
    _, errors = process.communicate(timeout=600)
    assert process.returncode in {130, -signal.SIGKILL}, errors


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The rows of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("whole")
    prepare(folder)
    rows = finish(folder)
    assert set(rows) == {"rise", "mean", "rises"}
    return rows


@pytest.mark.long
def test_interrupted_runs_give_the_rows_of_an_uninterrupted_one(tmp_path: Path, expected: dict[str, list[str]]) -> None:
    """A run that is killed and one that is asked to stop, at random moments, then one to the end."""
    prepare(tmp_path)
    source = random.Random(5)
    signals = [signal.SIGKILL, signal.SIGINT]
    for how, batches in zip(signals, sorted(source.sample(range(1, FILES - 2), len(signals))), strict=True):
        interrupt(tmp_path, how, batches, source.uniform(0, 0.3))
    assert finish(tmp_path) == expected


@pytest.mark.long
@pytest.mark.parametrize("seed", range(50))
def test_many_killed_runs(seed: int, tmp_path: Path, expected: dict[str, list[str]]) -> None:
    """The same at more moments."""
    prepare(tmp_path)
    source = random.Random(seed)
    for batches in sorted(source.sample(range(1, FILES - 2), source.choice([1, 2]))):
        interrupt(tmp_path, signal.SIGKILL, batches, source.uniform(0, 0.5))
    assert finish(tmp_path) == expected


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_what_an_archiver_kept_after_a_kill_is_answered(
    seed: int, tmp_path: Path, expected: dict[str, list[str]]
) -> None:
    """The source gives each file once. Half the times only the archive and the queries are left of the engine."""
    prepare(tmp_path, ONCE)
    source = random.Random(seed)
    interrupt(tmp_path, signal.SIGKILL, source.randrange(1, FILES - 2), source.uniform(0, 0.5))
    kept = [sys.executable, "-m", "kaicep", "archive", str(tmp_path), "--quiet"]
    subprocess.run(kept, check=True, capture_output=True)
    for file in (tmp_path / "in").iterdir():
        file.unlink()
    if seed % 2:
        state = tmp_path / "var" / "state"
        shutil.copytree(state / "queries", tmp_path / "queries")
        shutil.rmtree(state)
        shutil.copytree(tmp_path / "queries", state / "queries")
    assert unmarked(finish(tmp_path)) == unmarked(expected)


def unmarked(rows: dict[str, list[str]]) -> dict[str, list[dict[str, Any]]]:
    """Each query's rows, in order, without what says where they come from."""
    found = {query: [json.loads(line) for line in lines] for query, lines in rows.items()}
    return {
        q: [{k: v for k, v in r.items() if k not in ("_source", "_recovered")} for r in f] for q, f in found.items()
    }
