"""The process that takes messages tells who has begun it what there is to say, and ends with it."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from kaicep.pipeline.sources.mqtt.intake_process import words
from kaicep.storage import ChildProcess
from support.air_and_water import project
from support.brokers import free_port
from support.receivers import eventually


def test_troubles_are_told_when_they_change(tmp_path: Path) -> None:
    child = ChildProcess(words)
    child.connection.send(project(tmp_path, free_port()))
    told: list[str | dict[str, str]] = []
    while not (told and isinstance(told[-1], dict) and all("be reached" in why for why in told[-1].values())):
        assert child.connection.poll(120)
        told.append(child.connection.recv())
    lines, troubles = [one for one in told if isinstance(one, str)], [one for one in told if isinstance(one, dict)]
    assert sorted(line.split(":")[0] for line in lines) == ["streams.air", "streams.water"]
    assert all(set(one) == {"air", "water"} for one in troubles)
    assert all(one != later for one, later in pairwise(troubles))
    child.connection.send(None)
    assert eventually(lambda: not child.runs)
    child.close()


def test_it_ends_when_nobody_is_at_the_other_end(tmp_path: Path) -> None:
    child = ChildProcess(words)
    child.connection.send(project(tmp_path, free_port()))
    assert child.connection.recv()
    child.connection.close()
    assert eventually(lambda: not child.runs)


def test_a_secret_that_has_gone_is_told(tmp_path: Path) -> None:
    child = ChildProcess(words)
    child.connection.send(project(tmp_path, free_port(), user="env:NOBODY"))
    assert "the environment has no variable 'NOBODY'" in child.connection.recv()
    assert eventually(lambda: not child.runs)
    child.close()


def test_it_loads_neither_spark_nor_pandas() -> None:
    """It is there all the time, beside the engine."""
    loaded = "import sys; from kaicep.pipeline.sources.mqtt import intake_process; print(*sys.modules)"
    path = os.pathsep.join(folder for folder in sys.path if folder)
    environment = {**os.environ, "PYTHONPATH": path}
    said = subprocess.run(
        [sys.executable, "-c", loaded], env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "kaicep.pipeline.sources.mqtt.intake_process" in said
    assert not {"pyspark", "py4j", "pandas"} & set(said)
