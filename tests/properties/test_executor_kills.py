"""Executors that end amid their work, and what runs them: the rows are those of an evaluation that nothing has met."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kaicep import Project
from support.keyed import STREAMS, keyed_batches
from support.processes import process

PROJECT = Project.parse({"streams": STREAMS})
TEXT = """
CREATE QUERY busy AS SELECT ?e.car AS car, COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 4s) GROUP BY ?e.car;
SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, Q) JOIN (?a.car = ?b.car) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)
"""


def files(folder: Path, rng: Random) -> dict[str, list[str]]:
    """Readings in many small files of each stream."""
    found: dict[str, list[str]] = {name: [] for name in STREAMS}
    cut = [batch for _ in range(4) for batch in keyed_batches(rng)]
    for place, batch in enumerate(cut):
        for name, rows in batch.items():
            path = folder / f"{name}{place:03}.json"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            found[name].append(str(path))
    return found


def answers(folder: Path, master: str, kills: list[tuple[str | None, int]]) -> list[dict[str, Any]]:
    """What a driver tells of each evaluation, whose rows are those of this process."""
    streams = files(folder, Random(16))
    job = {"master": master, "text": TEXT, "files": streams, "kills": kills}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    expected = json.loads(json.dumps(list(PROJECT.evaluate(TEXT, streams)), default=str))
    with process("cluster_driver", folder) as driver:
        told = [json.loads(line) for line in driver.stdout or ()]
    assert len(told) == len(kills)
    for one in told:
        assert one["rows"] == expected
    assert expected
    return told


@pytest.mark.long
@pytest.mark.spark
def test_python_workers_end(tmp_path: Path) -> None:
    told = answers(tmp_path, "local[2,4]", [(None, 0), *(("python", seed) for seed in range(4))])
    assert any(one["killed"] for one in told)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.long
def test_two_workers_of_a_cluster_of_which_one_executor_ends(tmp_path: Path) -> None:
    told = answers(tmp_path, "cluster", [(None, 0), ("executor", 1)])
    assert told[1]["killed"]


@pytest.mark.long
@pytest.mark.spark
def test_whatever_ends_in_the_long_run(tmp_path: Path) -> None:
    """A whole worker as the last one: it does not come back."""
    kills = [(what, seed) for seed in range(24) for what in ("python", "executor")]
    told = answers(tmp_path, "cluster", [*kills, ("worker", 50), (None, 0)])
    assert sum(bool(one["killed"]) for one in told) > len(kills) // 2
