"""The situations of ROBOD's rooms, and what is asked in them, against the published tables read row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.examples import rooms
from kaicep.examples.robod.readings import ROOMS, load_readings, load_room
from support.rows import Row, in_order, roughly
from support.sampling import some_of

pytestmark = pytest.mark.xdist_group("robod")
EXAMPLE = Path(rooms.__file__).parent
QUERIES = EXAMPLE / "queries"
ROBOD = "https://example.org/robod#"
POINTS = ("indoor_co2", "occupant_presence", "occupant_count", "lighting_energy")
"""What the queries ask of."""

FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
STEP, TEN, HALF_HOUR = timedelta(minutes=5), timedelta(minutes=10), timedelta(minutes=30)


@dataclass
class Window:
    """A time in which a context held: `(since, until]`."""

    since: datetime
    until: datetime = LAST
    ppm: float | None = None

    def __contains__(self, moment: datetime) -> bool:
        return self.since < moment <= self.until


@cache
def table(room: str) -> list[Row]:
    """The published table of a room with its time as `t`."""
    time = pl.col("timestamp").str.to_datetime("%Y-%m-%d %H:%M %z", time_zone="UTC", time_unit="us")
    columns = load_room(room).with_columns(t=time).select("t", *POINTS)
    return columns.with_columns(pl.col(POINTS).cast(pl.Float64)).to_dicts()


def values(room: str, point: str) -> Iterator[tuple[datetime, float]]:
    return ((row["t"], row[point]) for row in table(room) if row[point] is not None)


@cache
def occupied(room: str) -> list[Window]:
    found: list[Window] = []
    for moment, presence in values(room, "occupant_presence"):
        is_open = bool(found) and found[-1].until == LAST
        if presence == 1 and not is_open:
            found.append(Window(moment))
        if presence == 0 and is_open:
            found[-1].until = moment
    return found


@cache
def alarms(room: str) -> list[Window]:
    air = list(values(room, "indoor_co2"))
    begun = {}
    for window in occupied(room):
        inside = [(moment, ppm) for moment, ppm in air if moment in window]
        for moment, ppm in inside:
            waited = Window(moment, moment + TEN)
            if ppm > 600 and waited.until <= window.until and all(p > 600 for t, p in inside if t in waited):
                begun[waited.until] = ppm
    found: list[Window] = []
    good = {moment for moment, ppm in air if ppm < 550}
    for moment in sorted({*begun, *good}):
        is_open = bool(found) and found[-1].until == LAST
        if moment in begun and not is_open:
            found.append(Window(moment, ppm=begun[moment]))
        elif moment in good and is_open:
            found[-1].until = moment
    return found


def vacant(room: str) -> Iterator[Window]:
    """What the others leave."""
    free = FIRST
    for window in sorted(occupied(room) + alarms(room), key=lambda window: window.since):
        if window.since > free:
            yield Window(free, window.since)
        free = max(free, window.until)
    if free < LAST:
        yield Window(free)


def bad_air() -> Iterator[Row]:
    for room in ROOMS:
        for alarm in alarms(room):
            ppm = [value for moment, value in values(room, "indoor_co2") if moment in alarm]
            if alarm.until < LAST and ppm:
                told = {"room": ROBOD + room, "since": alarm.since, "ppm": alarm.ppm, "most": max(ppm)}
                yield {**told, "readings": len(ppm), "_time": alarm.until}


def more_people() -> Iterator[Row]:
    for room in ROOMS:
        people = dict(values(room, "occupant_count"))
        for moment, count in people.items():
            before = people.get(moment - STEP)
            if before is not None and count > before and any(moment in a and moment - STEP in a for a in alarms(room)):
                yield {"room": ROBOD + room, "people_before": before, "people_after": count, "_time": moment}


def stays() -> Iterator[Row]:
    for room in ROOMS:
        for stay in occupied(room):
            people = [count for moment, count in values(room, "occupant_count") if moment in stay]
            if stay.until < LAST and max(people, default=0) >= 10:
                yield {"room": ROBOD + room, "people": max(people), "_time": stay.until}


def lights_for_nobody() -> Iterator[Row]:
    for room in ROOMS:
        for window in vacant(room):
            sums: dict[datetime, float] = {}
            for moment, kwh in values(room, "lighting_energy"):
                if moment in window:
                    end = moment - (moment - datetime.min.replace(tzinfo=UTC)) % HALF_HOUR + HALF_HOUR
                    sums[end] = sums.get(end, 0) + kwh
            yield from (
                {"room": ROBOD + room, "kwh": kwh, "_time": end}
                for end, kwh in sums.items()
                if kwh > 0.1 and end <= window.until
            )


def after_hours() -> Iterator[Row]:
    for room in ROOMS:
        presence = dict(values(room, "occupant_presence"))
        for moment, there in presence.items():
            both_closed = is_closed(moment) and is_closed(moment - STEP)
            if there == 1 and presence.get(moment - STEP) == 0 and both_closed:
                yield {"room": ROBOD + room, "_time": moment}


def is_closed(moment: datetime) -> bool:
    wall = moment.astimezone(ZoneInfo("Asia/Singapore"))
    return wall.weekday() >= 5 or not 8 <= wall.hour < 18


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.load(EXAMPLE)


@pytest.fixture(scope="module")
def readings() -> pa.Table:
    return load_readings().filter(pl.col("point").str.contains_any(list(POINTS))).to_arrow()


CONTEXTS = (QUERIES / "0_contexts.chi").read_text(encoding="utf-8")


def text(file: str) -> str:
    """The document behind the contexts that it speaks of."""
    return CONTEXTS + (QUERIES / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "expected", "matches"),
    some_of(
        [
            ("1_bad_air.chi", bad_air, 13),
            ("2_more_people.chi", more_people, 75),
            ("3_stays.chi", stays, 28),
            ("4_lights_for_nobody.chi", lights_for_nobody, 322),
            ("5_after_hours.chi", after_hours, 38),
        ],
        2,
    ),
)
def test_a_query_finds_what_the_tables_hold(
    project: Project, readings: pa.Table, file: str, expected: Callable[[], Iterator[Row]], matches: int
) -> None:
    rows = project.evaluate(text(file), {"reading": readings})
    wanted = list(expected())
    assert len(wanted) == matches
    assert [row["_time"] for row in rows] == sorted(row["_time"] for row in rows)
    found = [{name: row[name] for name in wanted[0]} for row in rows]
    assert in_order(found) == [roughly(row) for row in in_order(wanted)]


def test_alarms_are_the_changes_of_their_context(project: Project, readings: pa.Table) -> None:
    question = "\nSELECT ?c.change, ?c.room AS room FROM (?c, CONTEXTS(room)) WHERE { FILTER (?c.context = 'alarm') }"
    rows = project.evaluate(CONTEXTS + question, {"reading": readings})
    changes: list[tuple[datetime, str, str]] = []
    for room in ROOMS:
        changes += ((alarm.since, "started", ROBOD + room) for alarm in alarms(room))
        changes += ((alarm.until, "ended", ROBOD + room) for alarm in alarms(room) if alarm.until < LAST)
    assert sorted((row["_time"], row["change"], row["room"]) for row in rows) == sorted(changes)


def test_the_queries_name_nothing_that_the_knowledge_lacks(project: Project) -> None:
    for path in sorted(QUERIES.glob("[1-9]*.chi")):
        for query in project.compile(text(path.name), source=path.name):
            assert query.warnings == ()


def test_every_shipped_query_is_tested() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    shipped = [path.name for path in QUERIES.glob("*.chi")]
    assert len(shipped) == 6
    assert all(f'"{name}"' in source for name in shipped)
