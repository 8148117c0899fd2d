"""Archives to recover from: a campus of airflow sensors, two hours of their readings, in the log and in the store.

Archives are made once and kept under `.cache`. The log has all of the 60 or 120 minutes, 720,000 events at the
paper's 100 events/s. So has the store; at ten times the rate its window ends earlier, as it does wherever a store's
size is limited: strategies that need it refuse longer outages then.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
from kaicep import Project
from kaicep.annotator import EventShape
from kaicep.archive import Archive
from kaicep.archive.store import OxigraphStore
from kaicep.archive.store.event_quads import encoder
from kaicep.archive.store.store_metadata import CommittedOffset
from kaicep.config import Settings
from kaicep.examples.campus import workload_w

from .path import ROOT, SEED
from .semantic_stages import CAMPUS, STREAM, campus_project

SENSORS = 6_000
MINUTES = (60, 120)
STORED = 900_000
BUCKET = timedelta(minutes=1)
START = datetime(2012, 5, 7, tzinfo=UTC)
_MS_A_MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class Campus:
    """A project whose sensors send `rate` events/s together, each at even distances."""

    project: Project
    rate: int

    @property
    def shapes(self) -> Mapping[str, EventShape]:
        """How its events become triples."""
        return self.project.shapes

    def settings(self, path: Path, **archive: object) -> Settings:
        """The project's settings with an archive in a folder."""
        changed = {"path": str(path), "enabled": True, "compact": False} | archive
        settings = self.project.settings
        return settings.model_copy(update={"archive": settings.archive.model_copy(update=changed)})

    def opened(self, path: Path, **archive: object) -> Archive:
        """An archive, open for writing."""
        return Archive(self.settings(path, **archive), self.project.knowledge, self.shapes)

    def events(self, minutes: int, first: int = 0) -> Iterator[pa.Table]:
        """Event tables, one a minute, from a minute on."""
        for raw in readings(self.rate, minutes, first):
            yield self.project.annotators[STREAM].annotate(raw).events


def campus(rate: int) -> Campus:
    """The campus of the paper with 6,000 sensors, their rooms and departments."""
    turtle, _ = workload_w.knowledge(SENSORS, np.random.default_rng([SEED, 1]))
    file = ROOT / ".cache" / f"archive-{SENSORS}.ttl"
    file.parent.mkdir(exist_ok=True)
    file.write_text(turtle, encoding="utf-8")
    modules = [ROOT / "ontologies" / "campus" / "*.ttl", file, CAMPUS / "workload.ttl"]
    return Campus(campus_project(modules), rate)


def readings(rate: int, minutes: int, first: int = 0) -> Iterator[pa.Table]:
    """Raw tuples in time order, minute by minute; the flow of each sensor is a random walk between two bounds.

    Args:
        rate: events/s; a multiple or a divisor of `SENSORS` / 60.
        minutes: how many.
        first: the minute to begin with.
    """
    rounds = rate * 60 // SENSORS
    source = np.random.default_rng([SEED, rate])
    flow = source.uniform(workload_w.LOW, workload_w.HIGH, SENSORS)
    names = pa.array([f"s{number}" for number in range(SENSORS)])
    phase = source.permutation(SENSORS) / SENSORS
    span = workload_w.HIGH - workload_w.LOW
    for minute in range(first + minutes):
        steps = source.normal(0, workload_w.STEP / rounds**0.5, (rounds, SENSORS))
        walk = flow + np.cumsum(steps, axis=0)
        flow = walk[-1]
        if minute < first:
            continue
        begins = (minute * rounds + np.arange(rounds)[:, None] + phase) * (_MS_A_MINUTE / rounds)
        order = np.argsort(begins, axis=None, kind="stable")
        folded = np.abs((walk - workload_w.LOW + span) % (2 * span) - span)
        moments = begins.ravel()[order].astype(np.int64) + workload_w.START_MS
        yield pa.table(
            {
                "sensorID": names.take(pa.array(order % SENSORS)),
                "timestamp": pa.array(moments, pa.timestamp("ms", "UTC")),
                "flowrate": workload_w.LOW + np.round(folded.ravel()[order] * 2) / 2,
            }
        )


def archives(of: Campus) -> dict[int, Path]:
    """The folders of the archives of 60 and 120 minutes; made if they are not there."""
    folders = {minutes: ROOT / ".cache" / f"archive-{of.rate}-{minutes}-{SEED}" for minutes in MINUTES}
    for minutes, folder in folders.items():
        if not folder.is_dir():
            unfinished = folder.with_name(f"{folder.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            _make(of, unfinished, minutes)
            unfinished.rename(folder)
    return folders


def _make(of: Campus, folder: Path, minutes: int) -> None:
    """Archive one batch a minute; load the store's window at once, which is faster than minute by minute."""
    with of.opened(folder, store=False) as archive:
        for minute, events in enumerate(of.events(minutes), 1):
            archive.append(minute, {STREAM: events})
        last = archive.last
    if last is None:
        raise ValueError("an archive without a minute")
    store = OxigraphStore(folder / "store", BUCKET)
    encode = encoder(of.shapes, BUCKET)
    window = min(minutes, STORED // (of.rate * 60))
    events = of.rate * 60
    for table in of.events(window, minutes - window):
        store.add(encode(STREAM, table))
    store.set_knowledge(of.project.knowledge)
    store.announce(end_of(minutes - window))
    store.add(b"", CommittedOffset(last, total=events, rows=events))
    store.close()


def end_of(minutes: int) -> datetime:
    """The moment at which an archive ends."""
    return START + timedelta(minutes=minutes)
