"""Places in the work of a batch at which a process waits, so that it meets its end there and nowhere else."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from kaicep.pipeline.durability.checkpoint import Checkpoint
from kaicep.pipeline.durability.snapshots.operator_snapshots import OperatorSnapshots
from kaicep.pipeline.executors import SparkTasks
from kaicep.storage import SharedFolder

__all__ = ["BETWEEN", "COMMIT", "JOBS", "Halt", "Halted", "Halts", "halting"]

JOBS = ("split", "shard", "rows")
"""The jobs of a batch: files are read, shards answered, rows written."""
BETWEEN, COMMIT = "between", "commit"
"""On the driver: behind the first job, and behind the last."""

PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True)
class Halt:
    """Where to wait, once.

    Attributes:
        point: the job in one of whose tasks, or where on the driver.
        batch: in that batch, or in the next one that comes there.
        task: of a job, which task, counted around.
        after: of a job, when the first file of the task is written, of which nobody knows yet, else before it begins;
            of the commit, when sinks and logs have the rows and no snapshot counts yet, else before it begins.
    """

    point: str
    batch: int
    task: int = 0
    after: bool = False


class Halted(NamedTuple):
    """Who waits, and in which batch."""

    process: int
    batch: int


class Halts:
    """Halts in the order in which they are met: each takes effect when the one before it is over.

    Args:
        folder: of notes, which all processes reach.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def plan(self, halts: Sequence[Halt]) -> None:
        """Say where to wait, before any of the processes begins."""
        self.folder.mkdir()
        (self.folder / "halts.json").write_text(json.dumps([asdict(halt) for halt in halts]), encoding="utf-8")

    def pass_by(self, point: str, batch: int, share: tuple[int, int] = (0, 1), *, after: bool = False) -> int | None:
        """Wait here if that is the halt to come, until it is over.

        Args:
            point: see `Halt`.
            batch: that is at work.
            share: which task, of how many.
            after: see `Halt`.

        Returns:
            Which halt was met, counted from 0; `None`: none, or another attempt waits there.

        Raises:
            TimeoutError: it is not over for minutes.
        """
        if (number := self._ahead()) is None:
            return None
        halt, (task, tasks) = self._halts()[number], share
        if (halt.point, halt.after, halt.task % tasks) != (point, after, task) or batch < halt.batch:
            return None
        if not self._is_first(number, Halted(os.getpid(), batch)):
            self._note(number, "again").touch()
            return None
        self._await(self._note(number, "over").exists)
        return number

    def left(self, number: int) -> None:
        """Note that who has waited has done what it was to do."""
        self._note(number, "left").touch()

    def halted(self, number: int, alive: Callable[[], object]) -> Halted:
        """Wait until somebody waits at a halt; `alive` raises if that will never be."""
        self._await(self._note(number, "met").exists, alive)
        return Halted(*json.loads(self._note(number, "met").read_text(encoding="utf-8")))

    def met_again(self, number: int, alive: Callable[[], object]) -> None:
        """Wait until another attempt passes somebody who waits."""
        self._await(self._note(number, "again").exists, alive)

    def has_left(self, number: int) -> bool:
        """Whether who has waited has done what it was to do."""
        return self._note(number, "left").exists()

    def release(self, number: int) -> None:
        """Let whoever waits at a halt go on, and nobody wait there any more."""
        self._note(number, "over").touch()

    def _halts(self) -> list[Halt]:
        return [Halt(**one) for one in json.loads((self.folder / "halts.json").read_text(encoding="utf-8"))]

    def _ahead(self) -> int | None:
        return next((n for n in range(len(self._halts())) if not self._note(n, "over").exists()), None)

    def _is_first(self, number: int, halted: Halted) -> bool:
        own = self.folder / uuid4().hex
        own.write_text(json.dumps(halted), encoding="utf-8")
        try:
            os.link(own, self._note(number, "met"))
        except FileExistsError:
            return False
        return True

    def _note(self, number: int, what: str) -> Path:
        return self.folder / f"{number}.{what}"

    def _await(self, over: Callable[[], bool], alive: Callable[[], object] = lambda: None) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not over():
            alive()
            if time.monotonic() > deadline:
                raise TimeoutError(f"nothing has come of the halts in {self.folder}")
            time.sleep(0.01)


@dataclass(frozen=True)
class HaltingPart:
    """Work of tasks, of which one waits where it is to.

    Attributes:
        part: the work.
        folder: of the halts.
        tasks: how many the job has.
    """

    part: Callable[..., Any]
    folder: Path
    tasks: int

    @property
    def __name__(self) -> str:
        """That of the work."""
        return self.part.__name__

    def __call__(self, queries: Any, work: Any, folder: SharedFolder, name: str) -> Any:
        """See `TaskRunner`; the name has batch, job, task, and which piece of the task's work it is."""
        batch, job, place, *_ = name.split("-")
        task, _, piece = place.partition(".")
        halts, share = Halts(self.folder), (int(task), self.tasks)
        if piece != "0":
            return self.part(queries, work, folder, name)
        before = halts.pass_by(job, int(batch), share)
        found = self.part(queries, work, folder, name)
        after = halts.pass_by(job, int(batch), share, after=True)
        for number in (before, after):
            if number is not None:
                halts.left(number)
        return found


@contextmanager
def halting(halts: Halts) -> Iterator[None]:
    """Let a driver and its tasks wait where they are to."""
    run, commit, write = SparkTasks.__call__, Checkpoint.commit, OperatorSnapshots.write

    def tasks(self: SparkTasks, plan: Any, part: Any, work: Sequence[Any], *place: Any) -> list[Any]:
        _folder, name = place
        batch, _, job = name.partition("-")
        if job not in JOBS:
            return run(self, plan, part, work, *place)
        if job == "shard":
            halts.pass_by(BETWEEN, int(batch))
        own = HaltingPart(part, halts.folder, min(len(work), self.parallelism))
        return run(self, plan, own, work, *place)

    def committed(self: Checkpoint, number: int, *args: Any, **kwargs: Any) -> Any:
        halts.pass_by(COMMIT, number)
        return commit(self, number, *args, **kwargs)

    def written(self: OperatorSnapshots, number: int, *args: Any) -> Any:
        halts.pass_by(COMMIT, number, after=True)
        return write(self, number, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SparkTasks, "__call__", tasks)
        patch.setattr(Checkpoint, "commit", committed)
        patch.setattr(OperatorSnapshots, "write", written)
        yield
