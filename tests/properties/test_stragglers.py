"""Tasks that lag are run twice by Spark, which it calls speculation: nothing is written twice, whichever attempt wins.

One attempt waits, before it begins or with its file written, until Spark has begun another one. Then it goes on beside
that one; or when the batch is done, which is when it writes what counts no more; or never, since it is stopped, and
Spark kills it.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest
from kaicep.examples.cluster import cluster
from support.halting_runs import BATCHES, check_left, done, lives, prepared
from support.halts import JOBS, Halt
from support.processes import process
from support.victims import await_end

BESIDE, BEHIND, STOPPED = "beside the other attempt", "behind its batch", "stopped"
SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "0ms",
    "spark.python.task.killTimeout": "5s",  # of an attempt that has lost; the usual two seconds may end one BEHIND
}


def speculated(folder: Path) -> list[bool]:
    """Of each attempt that Spark has begun beside another one, whether it has won."""
    (path,) = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith((".", "appstatus")))
    events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    ends = [one for one in events if one["Event"] == "SparkListenerTaskEnd" and one["Task Info"]["Speculative"]]
    return [one["Task End Reason"]["Reason"] == "Success" for one in ends]


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.reliability
@pytest.mark.parametrize("seed", range(2))
def test_what_spark_runs_twice_writes_nothing_twice(
    seed: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    rng, log = Random(f"stragglers {seed}"), tmp_path / "events"
    log.mkdir()
    cases = [(job, how) for job in JOBS for how in (BESIDE, BEHIND, STOPPED)]
    rng.shuffle(cases)
    plan = [Halt(job, 2 + place, rng.randrange(2), rng.random() < 0.5) for place, (job, _) in enumerate(cases)]
    ways = [how for _, how in cases]
    told = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": log.as_uri(), "spark.eventLog.compress": "false"}
    with cluster(tmp_path) as master:
        halts = prepared(tmp_path, rng, master, plan, {**SPECULATION, **told})
        with process("halting_engine", tmp_path) as driver:
            alive = partial(lives, driver)
            for number, how in enumerate(ways):
                at = halts.halted(number, alive)
                if how == STOPPED:
                    os.kill(at.process, signal.SIGSTOP)
                halts.met_again(number, alive)
                if how == BEHIND:
                    while at.batch not in done(tmp_path):
                        alive()
                        time.sleep(0.01)
                halts.release(number)
                if how == STOPPED:
                    await_end(at.process)
            assert driver.wait() == 0
    assert [*done(tmp_path)] == [*range(1, BATCHES + 2)]
    check_left(tmp_path)
    attempts = speculated(log)
    assert len(attempts) >= len(ways)
    assert sum(attempts) >= len(ways) - ways.count(BESIDE)
    late = [halts.has_left(number) for number, how in enumerate(ways) if how == BEHIND]
    assert any(late)
    record_property("attempts beside another one", len(attempts))
    record_property("of these, that won", sum(attempts))
    record_property("losers that wrote behind their batch", sum(late))
