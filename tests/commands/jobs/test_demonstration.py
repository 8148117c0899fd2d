"""The demonstration."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyarrow as pa
import pytest
from kaicep import PipelineError
from kaicep.commands.jobs.demonstration import FirstMatches, run_demo
from rich.console import Console
from support.command_line import kaicep


@pytest.mark.spark
@pytest.mark.long
def test_the_demonstration_ends_by_itself_with_matches_answers_and_figures(tmp_path: Path) -> None:
    done = subprocess.run(kaicep("demo", "--folder", tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "staleAir: 253 matches" in done.stdout
    assert done.stdout.count("SPARQL over the archive") == 2
    assert "609,316 events · " in done.stdout
    assert "Traceback" not in done.stderr
    asked = subprocess.run(kaicep("check", tmp_path), capture_output=True, text=True, check=False)
    assert asked.returncode == 0


def test_a_folder_of_an_earlier_demonstration_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    with pytest.raises(PipelineError, match="holds an earlier demonstration"):
        run_demo(tmp_path, Console(quiet=True), Console(quiet=True), quiet=True)
    assert [p.name for p in tmp_path.iterdir()] == ["var"]


def test_the_first_matches_of_every_query_are_kept() -> None:
    kept = FirstMatches(3)
    for batch in range(3):
        kept.write(batch, "high", pa.table({"x": [2 * batch, 2 * batch + 1]}))
    kept.write(3, "low", pa.table({"x": [9]}))
    assert [row["x"] for row in kept.found["high"]] == [0, 1, 2]
    assert [row["x"] for row in kept.found["low"]] == [9]
