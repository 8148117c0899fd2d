"""What executors of a cluster of two workers give of examples is what a driver gives, row by row."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep import Engine, JsonLinesSink, Project
from kaicep.examples import linear_road, robod, rooms
from kaicep.examples.cluster import cluster, prepare
from kaicep.pipeline import query_files
from pyspark.sql import SparkSession
from support.command_line import kaicep
from support.spark_cluster import descendants

pytestmark = pytest.mark.spark
EVENTS = 20_000
LONG = pytest.mark.long


def rows(file: Path) -> dict[str, list[str]]:
    """Each query's lines, in their order."""
    found: dict[str, list[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        found.setdefault(json.loads(line)["_query"], []).append(line)
    return found


@pytest.mark.long
def test_the_command_gives_the_rows_of_the_driver(tmp_path: Path, spark: SparkSession) -> None:
    command = [sys.executable, "-m", "kaicep.examples.cluster", str(tmp_path / "cluster")]
    options = ["--events", str(EVENTS), "--batches", "2"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    assert "hosting: executors" in done.stdout
    told = [line.split() for line in done.stdout.splitlines()]
    executors = [line for line in told if line and "/" in line[0] and len(line) == 7]
    assert sum(int(line[4].replace(",", "")) for line in executors) == EVENTS
    file = prepare(tmp_path / "driver", 4, "local[2]", EVENTS)
    file.write_text(file.read_text(encoding="utf-8").replace('"executors"', '"driver"'), encoding="utf-8")
    project = Project.load(file)
    with Engine(project, spark=spark, sinks=[JsonLinesSink(tmp_path / "driver.jsonl")]) as engine:
        for path in query_files(project.settings):
            engine.submit(path.read_text(encoding="utf-8"), label=path.stem, collect=False)
        engine.run_available()
        engine.finish()
        counts = {label: count for label, count in engine.progress.matches.items() if count}
    found = rows(tmp_path / "cluster" / "matches.jsonl")
    assert found == rows(tmp_path / "driver.jsonl")
    assert {label: len(lines) for label, lines in found.items()} == counts
    assert len(counts) >= 6


def test_a_folder_with_a_project_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kaicep.toml").write_text("", encoding="utf-8")
    command = [sys.executable, "-m", "kaicep.examples.cluster", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, f"{tmp_path} has a project: name a new folder")


def test_a_cluster_is_gone_when_it_ends(tmp_path: Path) -> None:
    before = set(descendants(os.getpid()))
    with cluster(tmp_path, 1) as master:
        assert master.startswith("spark://127.0.0.1:")
        assert len({*descendants(os.getpid())} - before) >= 2
    assert {*descendants(os.getpid())} <= before


def hosted(folder: Path, put: Callable[[Path], Path], master: str, hosting: str) -> dict[str, list[str]]:
    """The rows that `kaicep run` writes of an example, two files a batch."""
    file = put(folder)
    cores = '"spark.executor.memory" = "512m"\n"spark.default.parallelism" = "2"\n"spark.driver.host" = "127.0.0.1"\n'
    text = file.read_text(encoding="utf-8").replace("maxFilesPerTrigger = 1", "maxFilesPerTrigger = 2")
    text = text.replace("[archive]\n", "[archive]\nstore = false\n")
    text = text.replace("[engine]\n", f'[engine]\nmaster = "{master}"\nhosting = "{hosting}"\n')
    file.write_text(f"{text}\n[engine.spark]\n{cores}", encoding="utf-8")
    out = folder / "matches.jsonl"
    subprocess.run(kaicep("run", folder, "--finish", "--out", out), check=True)
    return rows(out)


@LONG
@pytest.mark.parametrize("example", [robod, rooms, linear_road])
def test_examples_have_the_same_rows_on_a_cluster(tmp_path: Path, example: object) -> None:
    put = getattr(example, "prepare")  # noqa: B009 - modules have no type of their own
    with cluster(tmp_path) as master:
        found = hosted(tmp_path / "executors", put, master, "executors")
    expected = hosted(tmp_path / "driver", put, "local[2]", "driver")
    assert found == expected
    assert sum(map(len, found.values())) > 400
