"""A year in an hour: an engine without Spark does 100,000 tiny batches, its clock runs ahead, and nothing may grow.

Two streams bring an event each batch, a third one is silent, so its watermark goes on by the clock; a record in fifty
is none; each event comes in a file of its own; queries of every kind keep their state. Compaction, retention and
rotation do their work as in an engine, and the process begins anew, with what its folder holds, before each sample.
What grows by more than `BAR` fails it.

    python -m benchmarks.endurance [batches]
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from threading import TIMEOUT_MAX
from typing import Any
from unittest.mock import patch

import matplotlib as mpl
import matplotlib.pyplot as plt

from ..api import Project
from ..archive import Archive
from ..archive.sync import Maintenance
from ..pipeline.durability import CheckpointedFlow
from ..pipeline.flow import IdleStreams
from ..pipeline.sources import RawBatch, raw_table
from .report import RESULTS

mpl.use("Agg")

YEAR = timedelta(days=365)
_START = datetime(2025, 1, 1, tzinfo=UTC)
BAR = 0.05
"""Behind the first tenth nothing may grow by more than this part of it."""
_KEPT = 1 / 15
"""Of the simulated time, the log keeps so much: from the first tenth on as much goes as comes."""
_TIDY, _YARDSTICK, _LOOK = 32, 5, 20
"""After so many batches the archive is tidied up; it is seen how fast the machine is; files are counted."""
QUERIES = {
    "selection": "SELECT ?a.x AS x FROM (?a, air) FILTER (?a.x > 90)",
    "distinct": "SELECT DISTINCT ?a.x AS x FROM (?a, air) FILTER (?a.x > 50)",
    "average": "SELECT AVG(?a.x) AS mean FROM (?a, air) WINDOW (?a, sliding, {long}) GROUP BY ?a.room",
    "pairs": "CREATE QUERY pairs AS SELECT ?a.x AS x, ?d.x AS y FROM (?a, air), (?d, door) "
    "JOIN (?a.room = ?d.room) FILTER (?a.x > 80) FILTER (?d.x > 80) WINDOW (?a, ?d, {short})",
    "silence": "SELECT ?a.x AS x FROM (?a, air), (?s, smoke) FILTER (?a.x > 95) SEQ (?a, NOT ?s FOR {short})",
    "rises": "SELECT FIRST(?a.x) AS low, LAST(?a.x) AS high FROM (?a, air) JOIN (?a.x > PREV(?a.x)) "
    "SEQ (?a{{2,}}) WINDOW (?a, {short}) AFTER MATCH SKIP PAST LAST EVENT",
    "situations": "CREATE CONTEXTS load (calm DEFAULT, busy) BY room; "
    "INITIATE CONTEXT busy (?a.x AS began) FROM (?a, air) FILTER (?a.x > 70); "
    "TERMINATE CONTEXT busy FROM (?d, door) FILTER (?d.x < 40); "
    "CREATE QUERY spells AS SELECT MAX(?a.x) AS most FROM (?a, air) IN CONTEXT busy WINDOW (?a, CONTEXT); "
    "CREATE RULE tell ON spells DO EMIT told(?row.most AS most); "
    "SELECT ?a.x AS x, ?b.began AS began FROM (?a, air) IN CONTEXT busy AS ?b",
}


@dataclass(frozen=True, slots=True)
class Sample:
    """What was measured of the batches since the sample before.

    Attributes:
        batches: done so far.
        rss: bytes that the process has in memory, without those of files, which the machine takes and gives.
        objects: that Python keeps.
        files: of the folder, the mean of some moments.
        stored: bytes of them, likewise.
        state: bytes of a snapshot, the mean over the batches.
        batch_ms: CPU time of a batch.
        start_ms: CPU time until an engine has begun with what the folder holds, and done its first batch.
        yardstick_ms: CPU time of a piece of work that is always the same, between the batches.
        start_yardstick_ms: the same, before and after the start.
    """

    batches: int
    rss: int
    objects: int
    files: float
    stored: float
    state: float
    batch_ms: float
    start_ms: float
    yardstick_ms: float
    start_yardstick_ms: float

    def figures(self) -> dict[str, float]:
        """What has to be flat: times as multiples of the yardstick's, since the machine may do other things as well."""
        of_process = {"memory": self.rss, "objects": self.objects, "files": self.files, "bytes on disk": self.stored}
        times = {"a batch": self.batch_ms / self.yardstick_ms, "a start": self.start_ms / self.start_yardstick_ms}
        return {**of_process, "state": self.state, **times}


class Endurance:
    """An engine without Spark in a folder, whose batches are so far apart.

    Args:
        folder: empty.
        batches: how many there will be.
        span: the time that passes meanwhile.
    """

    def __init__(self, folder: Path, batches: int, span: timedelta = YEAR) -> None:
        self.folder, self._batches, self._step = folder, batches, span / batches
        self._project = Project.parse(_settings(span, batches), root=folder)
        self._texts = {
            n: t.format(long=_duration(20 * self._step), short=_duration(5 * self._step)) for n, t in QUERIES.items()
        }
        self._done = self._state = 0
        self._open = ExitStack()

    def now(self) -> datetime:
        """The one clock of all that runs here."""
        return _START + self._done * self._step

    def samples(self, count: int = 100) -> Iterator[Sample]:
        """Do all batches; a sample each `count`-th of them."""
        size = self._batches // count
        self._yardstick()  # the first time takes longer
        try:
            for _ in range(count):
                yield self._sample(size)
        finally:
            self._open.close()

    def _sample(self, size: int) -> Sample:
        self._state, batches, yardsticks, sizes = 0, 0.0, [], []
        before = self._yardstick()
        start = _cpu_ms(self._begin_anew)
        around = fmean((before, self._yardstick()))
        for number in range(1, size):
            batches += _cpu_ms(self.deliver)
            if number % _YARDSTICK == 0:
                yardsticks.append(_cpu_ms(self._work_as_ever))
            if number % _LOOK == 0 or number == size - 1:
                sizes.append(list(_sizes(self.folder)))
        gc.collect()
        disk = fmean(map(len, sizes)), fmean(map(sum, sizes))
        times = batches / (size - 1), start, fmean(yardsticks), around
        return Sample(self._done, _rss(), len(gc.get_objects()), *disk, self._state / size, *times)

    def _begin_anew(self) -> None:
        """A process begins, and does its first batch."""
        self.start()
        self.deliver()

    def start(self) -> None:
        """A process begins."""
        self._open.close()
        project = self._project
        archive = Archive(project.settings, project.knowledge, project.shapes, clock=self.now)
        self.archive = self._open.enter_context(archive)
        self.flow = CheckpointedFlow(project, self.folder / "state", (), self.archive, say=lambda _: None)
        self._open.callback(self.flow.close)
        self._idle = IdleStreams(project.settings.idle_timeouts(), lambda: self.now().timestamp())
        for label, text in self._texts.items():
            self.flow.queries.submit(project.registrations(text, label))

    def deliver(self) -> None:
        """The next batch."""
        now = self.now()
        records = {"air": [_reading(now, self._done)], "door": [_reading(now, 7 * self._done + 1)]}
        if not self._done:
            records["smoke"] = [_reading(now, 0)]
        if self._done % 50 == 0:
            records["air"].append({"t": "never"})
        raw = {name: RawBatch(raw_table(rows)) for name, rows in records.items()}
        files = {name: [f"{name}/{self._done}.jsonl"] for name in records}  # gone since, as where sources are cleaned
        self._done += 1
        self.flow.run(self._done, raw, self._idle, now, files=files)
        self._state += (self.folder / f"state/snapshots/{self._done:012d}.snapshot").stat().st_size
        if self._done % _TIDY == 0:
            self.archive.tidy()

    def _yardstick(self) -> float:
        return fmean(_cpu_ms(self._work_as_ever) for _ in range(10))

    def _work_as_ever(self) -> None:
        """Annotate one and the same record: what grows by that time is the time of the machine, not of the engine."""
        self._project.annotators["air"].annotate(raw_table([_reading(_START, 0)]))


def _settings(span: timedelta, batches: int) -> dict[str, Any]:
    stream = {
        "event_type": "<urn:E>",
        "time": {"attribute": "t"},
        "identity": ["room", "t"],
        "attributes": {"x": {"datatype": "xsd:integer"}, "room": {"datatype": "xsd:string"}},
    }
    return {
        "streams": dict.fromkeys(("air", "door", "smoke"), stream),
        "archive": {"store": False, "log_age": _duration(span * _KEPT)},
        "engine": {"dead_letter_size": f"{batches / 5000}kB"},  # those of somewhat less than a tenth
    }


def _reading(at: datetime, number: int) -> dict[str, object]:
    return {"t": at.strftime("%Y-%m-%dT%H:%M:%SZ"), "x": number * 37 % 101, "room": f"r{number % 5}"}


def _duration(length: timedelta) -> str:
    return f"{max(1, round(length.total_seconds()))}s"


def _sizes(folder: Path) -> Iterator[int]:
    """Of the files that are there still when they are looked at: some are put together meanwhile."""
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            if path.is_file():
                yield path.stat().st_size


def _cpu_ms(do: Callable[[], object]) -> float:
    before = time.process_time()
    do()
    return (time.process_time() - before) * 1000


def _rss() -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


def growth(samples: Sequence[Sample]) -> dict[str, float]:
    """By figure, how much the last four tenths have more than those behind the first, as a part of it.

    Of both the mean: files come one by one and go many at a time, and so does what a state holds.
    """
    tenth = len(samples) // 10
    early, late = samples[tenth : 5 * tenth], samples[-4 * tenth :]
    return {n: _mean(late, n) / _mean(early, n) - 1 for n in samples[0].figures()}


def _mean(samples: Sequence[Sample], name: str) -> float:
    return fmean(sample.figures()[name] for sample in samples)


@contextmanager
def simulation() -> Iterator[None]:
    """Meanwhile no disk is waited for, and archives are tidied up when they are asked to, not by wall clock.

    How many files are left depends on when: where a stretch of time has few small ones, they stay.
    """
    with patch("os.fsync", lambda _: None), patch(f"{Maintenance.__module__}._PERIOD_S", TIMEOUT_MAX):
        yield


def draw(samples: Sequence[Sample], target: Path) -> None:
    """Write what was measured, a panel each, from zero; the ending of `target` is the format."""
    speed = 1 / fmean(sample.yardstick_ms for sample in samples)
    evenly = ("CPU ms at an even speed", speed)
    units = {
        "memory": ("MB", 1e6),
        "bytes on disk": ("MB", 1e6),
        "state": ("kB", 1e3),
        "a batch": evenly,
        "a start": evenly,
    }
    figure, axes = plt.subplots(2, 3, figsize=(12, 5), layout="constrained", sharex=True)
    found = {name: more for name, more in growth(samples).items() if name != "objects"}
    for one, (name, more) in zip(axes.flat, found.items(), strict=True):
        unit, size = units.get(name, ("", 1))
        values = [sample.figures()[name] / size for sample in samples]
        one.plot([sample.batches for sample in samples], values, linewidth=1)
        one.set_title(f"{name}{unit and f' ({unit})'}, {more:+.1%}", fontsize=10)
        one.set_ylim(0, 1.15 * max(values))
        one.grid(visible=True, alpha=0.3)
    figure.supxlabel(f"batches, {YEAR.days} days of simulated time", fontsize=9)
    figure.savefig(target)
    plt.close(figure)


def main() -> None:
    """Do as many batches as asked for; print, keep and draw what was measured. Exit code 1: something grows."""
    batches = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    samples = []
    with TemporaryDirectory(dir="/dev/shm") as folder, simulation():
        for sample in Endurance(Path(folder), batches).samples():
            samples.append(sample)
            print(json.dumps(asdict(sample)), flush=True)
    (RESULTS / "endurance.json").write_text(json.dumps([asdict(one) for one in samples], indent=1), encoding="utf-8")
    draw(samples, RESULTS.parents[1] / "docs" / "endurance.svg")
    found = growth(samples)
    for name, more in found.items():
        print(f"  {name:14} {more:+6.1%}  {'flat' if more <= BAR else f'grows by more than {BAR:.0%}'}")
    sys.exit(any(more > BAR for more in found.values()))


if __name__ == "__main__":
    main()
