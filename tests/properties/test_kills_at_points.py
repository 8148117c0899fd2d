"""An engine over a cluster meets every kind of kill, each amid the work of a batch: it gives what undisturbed ones do.

The kills of a run fall one after the other, each at a place of its own: at a task that reads, on the driver between two
jobs, at a task that answers, at one that writes rows, on the driver before the batch counts. Somebody waits there, so
that it is certain that a batch is at work; who ends is the one who waits, or whose it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from kaicep.examples.cluster import cluster
from support.halting_runs import BATCHES, check_left, done, lives, prepared
from support.halts import BETWEEN, COMMIT, JOBS, Halt
from support.processes import process
from support.victims import DRIVER, KINDS, WORKERS, end, victim

POINTS = (JOBS[0], BETWEEN, JOBS[1], JOBS[2], COMMIT)
SEEDS = range(2 * len(POINTS))


class Kill(NamedTuple):
    """What was ended, where, amid which batch, and when."""

    kind: str
    halt: Halt
    batch: int
    at: float


def planned(seed: int, rng: Random) -> list[tuple[str, Halt]]:
    """What ends where, in order: over all seeds each kind twice at each point, in the long run."""
    kills = [(kind, POINTS[(place + seed) % len(POINTS)]) for place, kind in enumerate(KINDS)]
    rng.shuffle(kills)
    return [
        (kind, Halt(point, 2 * place + rng.randrange(2, 4), rng.randrange(2), point != BETWEEN and rng.random() < 0.5))
        for place, (kind, point) in enumerate(kills)
    ]


def killed(folder: Path, seed: int) -> list[Kill]:
    """Let an engine come to its end over the kills of a seed; what ends is started again, as whoever runs it does."""
    rng, found = Random(f"kills {seed}"), list[Kill]()
    plan = planned(seed, rng)
    with cluster(folder) as master, ExitStack() as started:
        halts = prepared(folder, rng, master, [halt for _, halt in plan], {})
        driver = started.enter_context(process("halting_engine", folder))
        for number, (kind, halt) in enumerate(plan):
            at = halts.halted(number, partial(lives, driver))
            of = victim(kind, at.process, driver.pid, rng)
            end(of)
            found.append(Kill(kind, halt, at.batch, time.monotonic()))
            halts.release(number)
            if kind == DRIVER:
                driver = started.enter_context(process("halting_engine", folder))
            elif kind in WORKERS:
                again = of.start_again()
                started.callback(again.wait)
                started.callback(again.kill)
        assert driver.wait() == 0
    return found


def test_the_long_run_has_each_kind_twice_at_each_point() -> None:
    plans = [(kind, halt.point) for seed in SEEDS for kind, halt in planned(seed, Random(seed))]
    assert sorted(plans) == sorted(2 * [(kind, point) for kind in KINDS for point in POINTS])


@pytest.mark.spark
@pytest.mark.reliability
@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_ends_amid_a_batch(seed: int, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    began = time.monotonic()
    kills = killed(tmp_path, seed)
    batches = done(tmp_path)
    assert [*batches] == [*range(1, BATCHES + 2)]
    assert sorted(kill.kind for kill in kills) == sorted(KINDS)
    for kill in kills:
        assert batches[kill.batch - 1] < kill.at < batches[kill.batch]
    check_left(tmp_path)
    for kind, halt, batch, at in kills:
        side = "" if halt.point == BETWEEN else " after" if halt.after else " before"
        record_property(f"{kind} at {halt.point}{side}, batch {batch}", f"done {batches[batch] - at:.1f} s later")
    record_property("seconds", round(time.monotonic() - began, 1))
