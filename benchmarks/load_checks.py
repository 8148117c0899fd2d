"""What was lost, what came twice, and how long things took."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import urllib3
from kaicep.archive import LOG, ArchivePlace
from kaicep.archive.log import LogReader
from kaicep.config import Settings

from .load_listening import Asked, Listeners
from .load_project import QUERIES, STREAMS, Workload

__all__ = [
    "Delays",
    "Losses",
    "Outage",
    "archived",
    "asked_delays",
    "engine_state",
    "published",
    "row_delays",
    "sunk",
    "told",
]

_PAGE = 10_000
_SEEN = 20


@dataclass(frozen=True, slots=True)
class Outage:
    """When something was away.

    Attributes:
        what: that was.
        began: in seconds since 1970.
        ended: when it was there again: a server when it says that it is ready.
    """

    what: str
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class Losses:
    """How what was found differs from what had to be there; all are 0 when it does not.

    Attributes:
        wanted: how many there had to be.
        missing: how many are not there.
        twice: how many are there a second time, or more often.
        foreign: how many are there that had not to be.
    """

    wanted: int
    missing: int
    twice: int
    foreign: int

    @classmethod
    def of(cls, wanted: set[tuple[int, ...]], found: Iterable[tuple[int, ...]], ids: Sequence[object]) -> Losses:
        """Of what has to be there, what is, and by which ids."""
        content = Counter(found)
        repeated = max(len(ids) - len(set(ids)), content.total() - len(content))
        return cls(len(wanted), len(wanted - content.keys()), repeated, len(content.keys() - wanted))

    def __add__(self, other: Losses) -> Losses:
        return Losses(
            self.wanted + other.wanted,
            self.missing + other.missing,
            self.twice + other.twice,
            self.foreign + other.foreign,
        )

    @property
    def total(self) -> int:
        """How much is wrong."""
        return self.missing + self.twice + self.foreign


@dataclass(frozen=True, slots=True)
class Delays:
    """Seconds that things took.

    Attributes:
        count: of how many.
        median: of them.
        p99: what 99 of 100 do not exceed.
        longest: of them.
    """

    count: int
    median: float
    p99: float
    longest: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Delays:
        """Of some; of none, none took time."""
        if not len(seconds):
            return cls(0, 0.0, 0.0, 0.0)
        found = np.asarray(seconds)
        return cls(len(found), *map(float, np.percentile(found, (50, 99, 100))))


def archived(settings: Settings, workload: Workload) -> Losses:
    """Of the events in the archive's log."""
    reader = LogReader(ArchivePlace.of(settings).log(LOG))
    found = Losses(0, 0, 0, 0)
    wanted: set[tuple[int, ...]] = {(n,) for n in range(workload.total)}
    for stream in STREAMS:
        events = reader.read_slices(reader.slices(stream), columns=["n", "_id"], again=True)
        numbers = ((n,) for n in events["n"].to_pylist())
        found += Losses.of(wanted, numbers, events["_id"].cast("string").to_pylist())
    return found


def published(url: str, expected: Mapping[str, set[tuple[int, ...]]]) -> Losses:
    """Of the rows that the server gives by pages."""
    found = Losses(0, 0, 0, 0)
    for query, wanted in expected.items():
        rows = list(_pages(url, query))
        found += Losses.of(wanted, map(_numbers, rows), [row["_id"] for row in rows])
    return found


def sunk(file: Path, expected: Mapping[str, set[tuple[int, ...]]]) -> Losses:
    """Of the rows in the database that is a sink."""
    found = Losses(0, 0, 0, 0)
    with closing(sqlite3.connect(file)) as database:
        for query, wanted in expected.items():
            columns = "n, second, _id" if query == "pair" else "n, _id"
            there = database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (query,)).fetchone()
            chosen = f'SELECT {columns} FROM "{query}"'  # noqa: S608 - our own names
            rows = database.execute(chosen).fetchall() if there else []
            found += Losses.of(wanted, [tuple(row[:-1]) for row in rows], [row[-1] for row in rows])
    return found


def told(listeners: Listeners, expected: Mapping[str, set[tuple[int, ...]]]) -> Losses:
    """Of the rows that each reader was sent, over all readers."""
    found = Losses(0, 0, 0, 0)
    for heard in listeners.heard:
        rows = [listeners.events[place] for place in heard.rows]
        found += Losses.of(expected[heard.query], rows, heard.rows)
    return found


def row_delays(listeners: Listeners, workload: Workload, outages: Sequence[Outage], grace: float) -> tuple[Delays, ...]:
    """From an event's time of sending to each of its readers: outside of outages, and over all.

    Args:
        listeners: what readers were sent.
        workload: says when an event was to be sent, whether its sender was in time or not.
        outages: those whose event was to be sent in one of them are left out of the first.
        grace: likewise in so many seconds behind one.
    """
    sent = [workload.sent(events) for events in listeners.events]
    calm = [not _within(moment, outages, grace) for moment in sent]
    pairs = [(p, c - sent[p]) for heard in listeners.heard for p, c in zip(heard.rows, heard.came, strict=True)]
    return Delays.of([took for place, took in pairs if calm[place]]), Delays.of([took for _, took in pairs])


def asked_delays(asked: Sequence[Asked], outages: Sequence[Outage], grace: float) -> tuple[Delays, Delays]:
    """From a question to its answer: outside of outages, and over all; see `row_delays`."""
    calm = [one.took for one in asked if not _within(one.began, outages, grace)]
    return Delays.of(calm), Delays.of([one.took for one in asked])


def caught_up(listeners: Listeners, workload: Workload, outage: Outage, within: float, until: float) -> float:
    """Seconds from the end of an outage until rows come within so many seconds again; those of events until then."""
    late = [
        workload.sent(listeners.events[place])
        for heard in listeners.heard[:_SEEN]
        for place, came in zip(heard.rows, heard.came, strict=True)
        if outage.began <= workload.sent(listeners.events[place]) < until
        and came - workload.sent(listeners.events[place]) > within
    ]
    return max(0.0, max(late, default=outage.ended) - outage.ended)


def _within(moment: float, outages: Sequence[Outage], grace: float) -> bool:
    return any(one.began - 1.0 <= moment <= one.ended + grace for one in outages)


def _pages(url: str, query: str) -> Iterator[Mapping[str, object]]:
    pool, after = urllib3.PoolManager(), "0"
    while True:
        page = pool.request("GET", f"{url}/queries/{query}/matches?limit={_PAGE}&after={after}").json()
        yield from page["rows"]
        if len(page["rows"]) < _PAGE:
            return
        after = page["next"]


def _numbers(row: Mapping[str, object]) -> tuple[int, ...]:
    return tuple(int(str(row[name])) for name in ("n", "second") if name in row)


def engine_state(url: str) -> Mapping[str, object]:
    """What the engine says at the end: why rows may be missing."""
    said = urllib3.PoolManager().request("GET", f"{url}/status").json()
    counted = ("events", "late", "duplicates", "rejected", "malformed")
    return {
        "streams": {name: {what: of[what] for what in counted} for name, of in said["streams"].items()},
        "queries": {name: {what: of[what] for what in ("state", "reason")} for name, of in said["queries"].items()},
    }


def rows_so_far(url: str) -> int:
    """How many rows the server gives by now."""
    return sum(sum(1 for _ in _pages(url, query)) for query in QUERIES)
