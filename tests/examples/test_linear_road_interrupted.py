"""Linear Road by `kaicep run`, killed and stopped between: each toll and alert is written once, and nothing else."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from kaicep.examples.linear_road import prepare
from kaicep.examples.linear_road.reports import load_expected
from support.command_line import kaicep

pytestmark = [pytest.mark.spark, pytest.mark.long]
INTERRUPTIONS = ((100_000, signal.SIGKILL), (200_000, signal.SIGINT), (250_000, signal.SIGKILL))
"""When so many rows are written, what the engine is sent. Of all queries there are some 470,000."""


def count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def run(folder: Path, rows: int = 0, sent: signal.Signals | None = None) -> int:
    """Run the project to its end, or until it has written so many rows and is sent a signal; its exit code."""
    out = folder / "matches.jsonl"
    with subprocess.Popen(kaicep("run", folder, "--finish", "--out", out)) as engine:
        while sent is not None and engine.poll() is None:
            if count_lines(out) >= rows:
                engine.send_signal(sent)
                break
            time.sleep(0.5)
        return engine.wait()


def test_tolls_and_alerts_are_the_published_ones_whatever_ends_the_engine(tmp_path: Path) -> None:
    folder = tmp_path / "road"
    prepare(folder)
    for rows, sent in INTERRUPTIONS:
        ended = run(folder, rows, sent)
        assert (ended == -signal.SIGKILL) == (sent == signal.SIGKILL)
    assert run(folder) == 0
    with (folder / "matches.jsonl").open(encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    ids = Counter((row["_query"], row["_id"]) for row in found)
    assert set(ids.values()) == {1}
    tolls = [(0, r["time"], r["vid"], int(r["lav"]), int(r["toll"])) for r in found if r["_query"] == "toll"]
    alerts = [(1, r["time"], r["vid"], r["accident"]) for r in found if r["_query"] == "alert"]
    expected = load_expected().select("type", "time", "vid", "lav_or_accident_seg", "toll").rows()
    assert sorted(tolls) == sorted(row for row in expected if row[0] == 0)
    assert sorted(alerts) == sorted(row[:4] for row in expected if row[0] == 1)
