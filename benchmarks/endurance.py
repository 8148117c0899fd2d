"""A year in an hour: an engine without Spark does 100,000 tiny batches, its clock runs ahead, and nothing may grow.

Two streams bring an event each batch, a third one is silent, so its watermark goes on by the clock; a record in fifty
is none; queries of every kind keep their state. Compaction, retention and rotation do their work as in an engine, and
the process begins anew, with what its folder holds, before each sample.

    python -m benchmarks.endurance [batches]
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import matplotlib as mpl
import matplotlib.pyplot as plt

from ..api import Project
from ..archive import Archive
from ..pipeline.durability import CheckpointedFlow
from ..pipeline.flow import IdleStreams
from ..pipeline.sources import RawBatch, raw_table
from .report import RESULTS

mpl.use("Agg")

YEAR = timedelta(days=365)
_START = datetime(2025, 1, 1, tzinfo=UTC)
_KEPT = 1 / 15
"""Of the simulated time, the log keeps so much: from the first tenth on as much goes as comes."""
_TIDY = 16
QUERIES = {
    "selection": "SELECT ?a.x AS x FROM (?a, air) FILTER (?a.x > 90)",
    "distinct": "SELECT DISTINCT ?a.x AS x FROM (?a, air) FILTER (?a.x > 50)",
    "average": "SELECT AVG(?a.x) AS mean FROM (?a, air) WINDOW (?a, sliding, {long}) GROUP BY ?a.room",
    "pairs": "CREATE QUERY pairs AS SELECT ?a.x AS x, ?d.x AS y FROM (?a, air), (?d, door) "
    "JOIN (?a.room = ?d.room) FILTER (?a.x > 80) FILTER (?d.x > 80) WINDOW (?a, ?d, {short})",
    "silence": "SELECT ?a.x AS x FROM (?a, air), (?s, smoke) FILTER (?a.x > 95) SEQ (?a, NOT ?s FOR {short})",
    "rises": "SELECT FIRST(?a.x) AS low, LAST(?a.x) AS high FROM (?a, air) JOIN (?a.x > PREV(?a.x)) "
    "SEQ (?a{{2,}}) WINDOW (?a, {short}) AFTER MATCH SKIP PAST LAST EVENT",
}


@dataclass(frozen=True, slots=True)
class Sample:
    """What was measured at one moment.

    Attributes:
        batches: done so far.
        rss: bytes that the process has in memory.
        objects: that Python keeps.
        files: of the folder.
        stored: bytes of them.
        state: bytes of the newest snapshot.
        batch_ms: CPU time of a batch since the sample before.
        start_ms: CPU time until an engine has begun with what the folder holds, and done its first batch.
    """

    batches: int
    rss: int
    objects: int
    files: int
    stored: int
    state: int
    batch_ms: float
    start_ms: float


class Endurance:
    """An engine without Spark in a folder, whose batches are so far apart.

    Args:
        folder: empty.
        batches: how many there will be.
        span: the time that passes meanwhile.
    """

    def __init__(self, folder: Path, batches: int, span: timedelta = YEAR) -> None:
        self.folder, self._batches, self._step = folder, batches, span / batches
        self._project = Project.parse(_settings(span), root=folder)
        self._texts = {
            n: t.format(long=_duration(20 * self._step), short=_duration(5 * self._step)) for n, t in QUERIES.items()
        }
        self._done = 0
        self._open = ExitStack()
        # The same over restarts: each costs a stream that is silent for ever the silence since its watermark was moved
        # last, so that more waits for it; what grows with batches is what is looked for here.
        timeouts = self._project.settings.idle_timeouts()
        self._idle = IdleStreams(timeouts, lambda: self._done * self._step.total_seconds())

    def samples(self, count: int = 50) -> Iterator[Sample]:
        """Do all batches; a sample each `count`-th of them."""
        size = self._batches // count
        try:
            for _ in range(count):
                yield self._sample(size)
        finally:
            self._open.close()

    def _sample(self, size: int) -> Sample:
        start = _cpu_ms(self._begin_anew)
        batch = _cpu_ms(lambda: self._deliver_all(size - 1)) / (size - 1)
        gc.collect()
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        states = sorted(self.folder.glob("state/snapshots/*"))
        stored = sum(path.stat().st_size for path in files)
        return Sample(
            self._done, _rss(), len(gc.get_objects()), len(files), stored, states[-1].stat().st_size, batch, start
        )  # fmt: skip

    def _begin_anew(self) -> None:
        """A process begins, and does its first batch."""
        self.start()
        self.deliver()

    def start(self) -> None:
        """A process begins."""
        self._open.close()
        project = self._project
        self.archive = self._open.enter_context(Archive(project.settings, project.knowledge, project.shapes))
        self.flow = CheckpointedFlow(project, self.folder / "state", (), self.archive, say=lambda _: None)
        self._open.callback(self.flow.close)
        for label, text in self._texts.items():
            self.flow.submit(project.registrations(text, label))

    def _deliver_all(self, count: int) -> None:
        for _ in range(count):
            self.deliver()

    def deliver(self) -> None:
        """The next batch."""
        now = _START + self._done * self._step
        records = {"air": [_reading(now, self._done)], "door": [_reading(now, 7 * self._done + 1)]}
        if not self._done:
            records["smoke"] = [_reading(now, 0)]
        if self._done % 50 == 0:
            records["air"].append({"t": "never"})
        raw = {name: RawBatch(raw_table(rows)) for name, rows in records.items()}
        self._done += 1
        self.flow.run(self._done, raw, self._idle)
        if self._done % _TIDY == 0:
            self.archive.tidy()


def _settings(span: timedelta) -> dict[str, Any]:
    stream = {
        "event_type": "<urn:E>",
        "time": {"attribute": "t"},
        "identity": ["room", "t"],
        "attributes": {"x": {"datatype": "xsd:integer"}, "room": {"datatype": "xsd:string"}},
    }
    return {
        "streams": dict.fromkeys(("air", "door", "smoke"), stream),
        "archive": {"store": False, "log_age": _duration(span * _KEPT)},
        "engine": {"dead_letter_size": "20kB"},
    }


def _reading(at: datetime, number: int) -> dict[str, object]:
    return {"t": at.isoformat(), "x": number * 37 % 101, "room": f"r{number % 5}"}


def _duration(length: timedelta) -> str:
    return f"{max(1, round(length.total_seconds()))}s"


def _cpu_ms(do: Callable[[], object]) -> float:
    before = time.process_time()
    do()
    return (time.process_time() - before) * 1000


def _rss() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def growth(samples: Sequence[Sample]) -> dict[str, float]:
    """By figure, how much the last four tenths have more than those behind the first, as a part of it.

    Of both the mean: files come one by one and go many at a time, and so does what a state holds.
    """
    tenth = len(samples) // 10
    early, late = samples[tenth : 5 * tenth], samples[-4 * tenth :]
    names = [field.name for field in fields(Sample) if field.name != "batches"]
    return {n: fmean(getattr(s, n) for s in late) / fmean(getattr(s, n) for s in early) - 1 for n in names}


@contextmanager
def without_syncs() -> Iterator[None]:
    """Nothing survives a power cut meanwhile, and no disk is waited for."""
    with patch("os.fsync", lambda _: None):
        yield


def draw(samples: Sequence[Sample], target: Path) -> None:
    """Write what was measured, a panel each, from zero; the ending of `target` is the format."""
    panels = {
        "rss": ("memory (MB)", 1e6),
        "files": ("files", 1),
        "stored": ("on disk (MB)", 1e6),
        "state": ("state (kB)", 1e3),
        "batch_ms": ("a batch (CPU ms)", 1),
        "start_ms": ("a start (CPU ms)", 1),
    }
    figure, axes = plt.subplots(2, 3, figsize=(12, 5), layout="constrained", sharex=True)
    for one, (name, (title, unit)) in zip(axes.flat, panels.items(), strict=True):
        one.plot(
            [s.batches for s in samples], [getattr(s, name) / unit for s in samples], color="tab:blue", linewidth=1
        )
        one.set_title(f"{title}, {growth(samples)[name]:+.1%}", fontsize=10)
        one.set_ylim(bottom=0)
        one.grid(visible=True, alpha=0.3)
    figure.supxlabel(f"batches, {YEAR.days} days of simulated time", fontsize=9)
    figure.savefig(target)
    plt.close(figure)


def main() -> None:
    """Do as many batches as asked for; print, keep and draw what was measured."""
    batches = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    samples = []
    with TemporaryDirectory(dir="/dev/shm") as folder, without_syncs():
        for sample in Endurance(Path(folder), batches).samples():
            samples.append(sample)
            print(json.dumps(asdict(sample)), flush=True)
    (RESULTS / "endurance.json").write_text(json.dumps([asdict(one) for one in samples], indent=1), encoding="utf-8")
    draw(samples, RESULTS.parents[1] / "docs" / "endurance.svg")
    for name, more in growth(samples).items():
        print(f"  {name}: {more:+.1%}")


if __name__ == "__main__":
    main()
