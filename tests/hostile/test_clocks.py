"""Whatever clocks do, and however slow the disk is: the rows are the same, and what came in time is not late."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.durability import CheckpointedFlow
from kaicep.pipeline.flow import IdleStreams
from kaicep.pipeline.sinks import JsonLinesSink
from kaicep.pipeline.sources import RawBatch, raw_table
from support.clock import Clock
from support.disk_faults import faulty_disk

pytestmark = pytest.mark.reliability

BEGIN = datetime(2026, 3, 29, 0, 59, 45, tzinfo=UTC)
"""Shortly before clocks are put forward in Europe."""
QUERY = (
    "CREATE QUERY q AS SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, batch, 4s);"
    "CREATE QUERY r AS SELECT ?a.x AS x FROM (?a, air), (?d, door) JOIN (?a.x = ?d.x) SEQ (?a, ?d) WINDOW (?a, ?d, 9s)"
)


class Engine:
    """One without Spark whose streams are idle after two seconds; its clocks go as the test says.

    Attributes:
        stall: seconds between the moment at which the sources were asked what has come, and the batch.
    """

    def __init__(self, folder: Path) -> None:
        stream = {
            "event_type": "<urn:E>",
            "time": {"attribute": "t"},
            "identity": ["x", "t"],
            "attributes": {"x": {"datatype": "xsd:integer"}},
            "idle_timeout": "2s",
        }
        content: dict[str, Any] = {"streams": {"air": stream, "door": stream}, "archive": {"store": False}}
        project = Project.parse(content, root=folder)
        self.clock, self.wall = Clock(), BEGIN
        self.archive = Archive(project.settings, project.knowledge, project.shapes)
        self.flow = CheckpointedFlow(project, folder / "state", (JsonLinesSink(folder / "rows.jsonl"),), self.archive)
        self.flow.queries.submit(project.registrations(QUERY, "q"))
        self.idle = IdleStreams(project.settings.idle_timeouts(), self.clock)
        self.number = 0
        self.stall = 0.0

    def deliver(self, **seconds: Sequence[float]) -> None:
        """One batch of what came until now, as Spark delivers it."""
        self.idle.ask()
        rows = {
            n: [{"t": (BEGIN + timedelta(seconds=s)).isoformat(), "x": int(s)} for s in of] for n, of in seconds.items()
        }
        self.number += 1
        with self.idle.delivery():
            self.clock.seconds += self.stall
            records = {name: RawBatch(raw_table(of)) for name, of in rows.items()}
            self.flow.run(self.number, records, self.idle, self.wall)

    @property
    def late(self) -> int:
        """How many events came too late, or were refused."""
        return sum(count.late + count.rejected for count in self.flow.progress.streams.values())


@contextmanager
def engine() -> Iterator[Engine]:
    with TemporaryDirectory() as folder:
        found = Engine(Path(folder))
        try:
            yield found
        finally:
            found.flow.close()
            found.archive.close()


def events() -> list[tuple[float, str]]:
    """When events of which stream happen, in seconds; neither stream is silent for as long as two of them."""
    return sorted([(n * 1.0, "air") for n in range(1, 40)] + [(n * 1.9, "door") for n in range(1, 21)])


def rows(of: Engine, before_each: Callable[[Engine], None] = lambda _: None) -> list[Any]:
    """Of all events, each delivered with the first batch begun behind it, a second or more apart; none is late."""
    path, coming = Path(str(of.archive.log.path)).parents[2] / "rows.jsonl", events()
    began = of.clock.seconds
    while coming:
        before_each(of)
        now = of.clock.seconds - began
        batch: dict[str, list[float]] = {}
        while coming and coming[0][0] <= now:
            second, stream = coming.pop(0)
            batch.setdefault(stream, []).append(second)
        of.deliver(**batch)
        of.clock.seconds += 1
        of.wall += timedelta(seconds=1)
    of.clock.seconds += 1_000
    of.deliver()
    assert of.late == 0
    return sorted(json.loads(line)["_id"] for line in path.read_text().splitlines())


@cache
def undisturbed() -> list[Any]:
    with engine() as of:
        found = rows(of)
    assert len(found) > 10
    return found


def test_a_disk_that_takes_half_a_second_a_sync_makes_nothing_late() -> None:
    """Reading and keeping a batch then takes several times as long as streams may be silent."""
    with engine() as of, faulty_disk(Path(str(of.archive.log.path)).parents[2]) as disk:

        def sync() -> None:
            of.clock.seconds += 0.5

        disk.slow, of.stall = sync, 3.0
        assert rows(of) == undisturbed()
        assert of.number < 15


@pytest.mark.long
def test_a_process_that_stood_still_for_two_minutes_finds_nothing_late() -> None:
    """Wherever it stood: between two batches, or when the sources were asked and the batch had not begun."""
    for place in range(1, 20, 3):
        for inside in (True, False):

            def stand_still(of: Engine, place: int = place, inside: bool = inside) -> None:
                of.stall = 120.0 if inside and of.number == place else 0.0
                of.clock.seconds += 120.0 if not inside and of.number == place else 0.0

            with engine() as of:
                assert rows(of, stand_still) == undisturbed()


def test_a_wall_clock_that_jumps_changes_no_row() -> None:
    """A day ahead, back, and a day behind: time stamps are those of the sensors."""
    jumps = {3: timedelta(days=1), 9: timedelta(days=-2)}

    def jump(of: Engine) -> None:
        of.wall += jumps.get(of.number, timedelta(0))

    with engine() as of:
        assert rows(of, jump) == undisturbed()


def test_summer_time_begins_for_nobody() -> None:
    """Instants have none: batches across its beginning are as any others."""
    rome = ZoneInfo("Europe/Rome")
    with engine() as of:
        assert of.wall.astimezone(rome).utcoffset() == timedelta(hours=1)
        assert rows(of) == undisturbed()
        assert of.wall.astimezone(rome).utcoffset() == timedelta(hours=2)
