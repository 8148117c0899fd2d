"""Whatever clocks do, and however slow the disk is: the rows are the same, and what came in time is not late."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kaicep import Project
from kaicep.archive import Archive
from kaicep.pipeline.durability import CheckpointedFlow
from kaicep.pipeline.flow import IdleStreams
from kaicep.pipeline.sinks import JsonLinesSink
from kaicep.pipeline.sources import RawBatch, raw_table
from support.clock import Clock
from support.disk_faults import faulty_disk

BEGIN = datetime(2026, 3, 28, 23, tzinfo=UTC)
"""Two hours before clocks are put forward in Europe."""
QUERY = (
    "CREATE QUERY q AS SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, batch, 4s);"
    "CREATE QUERY r AS SELECT ?a.x AS x FROM (?a, air), (?d, door) JOIN (?a.x = ?d.x) SEQ (?a, ?d) WINDOW (?a, ?d, 9s)"
)
Delivered = Mapping[str, Sequence[float]]


class Engine:
    """One without Spark whose streams are idle after two seconds; its clocks go as the test says."""

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
        self.flow.submit(project.registrations(QUERY, "q"))
        self.idle = IdleStreams(project.settings.idle_timeouts(), self.clock)
        self.number = 0

    def deliver(self, **seconds: Sequence[float]) -> None:
        """One batch of what came until now, as Spark delivers it."""
        self.idle.ask()
        rows = {
            n: [{"t": (BEGIN + timedelta(seconds=s)).isoformat(), "x": int(s)} for s in of] for n, of in seconds.items()
        }
        self.number += 1
        with self.idle.delivery():
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


def rows(
    of: Engine, delivered: Sequence[Delivered], before_each: Callable[[Engine], None] = lambda _: None
) -> list[Any]:
    """Of all batches, and none of them brings a late event."""
    path = of.archive.log.path.parents[2] / "rows.jsonl"
    for each in delivered:
        before_each(of)
        of.deliver(**each)
        of.clock.seconds += 1
        of.wall += timedelta(seconds=1)
    assert of.late == 0
    return [json.loads(line)["_id"] for line in path.read_text().splitlines()]


STEADY: list[Delivered] = [{"air": [n, n + 0.5], "door": [n + 0.2]} for n in range(1, 15)]


def undisturbed() -> list[Any]:
    with engine() as of:
        found = rows(of, STEADY)
    assert len(found) > 10
    return found


def test_a_disk_that_takes_half_a_second_a_sync_makes_nothing_late() -> None:
    """A batch then takes several times as long as streams may be silent."""
    with engine() as of, faulty_disk(of.archive.log.path.parents[2]) as disk:

        def sync() -> None:
            of.clock.seconds += 0.5

        disk.slow = sync
        began = of.clock.seconds
        assert rows(of, STEADY) == undisturbed()
        assert of.clock.seconds - began > 2 * 2 * len(STEADY)


def test_a_process_that_stood_still_for_two_minutes_finds_nothing_late() -> None:
    """What came meanwhile is in the first batch, and its streams were not silent."""
    meanwhile: Delivered = {"air": [n / 2 for n in range(16, 30)], "door": [n + 0.2 for n in range(8, 15)]}
    with engine() as of:
        before = rows(of, STEADY[:7])
        of.clock.seconds += 120
        of.wall += timedelta(seconds=120)
        found = rows(of, [meanwhile])
    assert found[: len(before)] == before
    assert len(found) > len(before)


def test_a_wall_clock_that_jumps_changes_no_row() -> None:
    """A day ahead, back, and a day behind: time stamps are those of the sensors."""
    jumps = iter(
        [timedelta(0)] * 3 + [timedelta(days=1)] + [timedelta(0)] * 3 + [timedelta(days=-2)] + [timedelta(0)] * 20
    )

    def jump(of: Engine) -> None:
        of.wall += next(jumps)

    with engine() as of:
        assert rows(of, STEADY, jump) == undisturbed()


def test_summer_time_begins_and_ends_for_nobody() -> None:
    """Instants have no summer time: batches across its beginning are as any others."""
    two_hours = 7_200.0
    across = [{"air": [two_hours + n], "door": [two_hours + n + 0.2]} for n in range(-5, 6)]
    with engine() as of:
        of.wall = BEGIN + timedelta(seconds=two_hours - 5)
        assert rows(of, across)
