"""The road of `benchmarks.contexts`: dense reports of cars in segments, and signs that begin and end contexts there.

Every car reports each 30 s, at its own moment, and leaves its segment after some reports for another one that comes:
some hundred cars a segment at any time. What is looked for are patterns of several reports of one car, as in the
paper's query 2. When contexts hold in which segment is what a figure varies, so signs say it, as in its Fig. 3
(`ManySlowCars`, `FewFastCars`): a sign a second, most of which change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

__all__ = ["REPORT", "SECOND", "SEED", "STREAMS", "Distribution", "Held", "Road", "covered", "spread"]

SEED = 13
SECOND = 1_000_000
REPORT = 30
"""Seconds between two reports of a car."""
_START = 1_767_225_600 * SECOND  # 2026-01-01T00:00:00Z
_STAY = 12  # most reports of a car in one segment
_EXIT = 4  # the lane that is left by; 0 to 3 are travelled on
_BESIDE = -1  # the segment of signs that change nothing

_INTEGER, _DOUBLE, _STRING = ({"datatype": f"xsd:{name}"} for name in ("integer", "double", "string"))
STREAMS = {
    "reports": {
        "event_type": "<urn:PositionReport>",
        "time": {"attribute": "at"},
        "identity": ["car", "at"],
        "attributes": {"car": _INTEGER, "seg": _INTEGER, "lane": _INTEGER, "speed": _DOUBLE},
    },
    "signs": {
        "event_type": "<urn:Sign>",
        "time": {"attribute": "at"},
        "identity": ["seg", "context", "at"],
        "attributes": {"seg": _INTEGER, "context": _STRING, "state": _STRING},
    },
}


class Held(NamedTuple):
    """A context holds in a segment from one second to another."""

    segment: int
    context: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Road:
    """How many cars report for how long.

    Attributes:
        segments: of the road, the partitions of its contexts.
        cars: in each segment at any time.
        seconds: that the stream lasts.
        batch: reports in a batch, about.
        rising: cars come evenly until the end, as in Linear Road; otherwise all are there from the beginning.
    """

    segments: int = 10
    cars: int = 300
    seconds: int = 1_800
    batch: int = 15_000
    rising: bool = False

    @property
    def events(self) -> int:
        """Reports in all, about."""
        return self.segments * self.cars * self.seconds // REPORT // (2 if self.rising else 1)

    def batches(self, held: Sequence[Held]) -> list[Mapping[str, pa.Table]]:
        """The raw tuples of both streams, batch by batch, each of the same span of time."""
        whole = {"reports": self._reports(), "signs": self._signs(held)}
        count = max(1, round(self.events / self.batch))
        bounds = np.linspace(0, self.seconds * SECOND, count + 1).astype(np.int64) + _START
        cuts = {name: np.searchsorted(_micros(table), bounds) for name, table in whole.items()}
        return [
            {name: table.slice(cuts[name][i], cuts[name][i + 1] - cuts[name][i]) for name, table in whole.items()}
            for i in range(count)
        ]

    def _reports(self) -> pa.Table:
        source = np.random.default_rng(SEED)
        places, rounds = self.segments * self.cars, self.seconds // REPORT
        offset = source.integers(0, REPORT * SECOND, (places, 1))
        begun = source.integers(0, rounds, (places, 1)) if self.rising else np.zeros((places, 1), np.int64)
        at = offset + np.arange(rounds) * REPORT * SECOND
        # One car behind the other: how long each stays is drawn ahead, whoever is there counts them.
        stays = source.integers(2, _STAY, (places, rounds)).cumsum(axis=1)
        turn = np.array([np.searchsorted(own, np.arange(rounds), side="right") for own in stays])
        last = np.array([np.isin(np.arange(rounds) + 1, own) for own in stays])
        car = np.arange(places)[:, None] * rounds + turn
        lane = np.where(last, _EXIT, source.integers(0, _EXIT, (places, rounds)))
        segment = np.broadcast_to(np.arange(places)[:, None] % self.segments, at.shape)
        speed = source.integers(0, 100, (places, rounds)).astype(np.float64)
        there = np.flatnonzero((np.arange(rounds) >= begun).ravel())
        order = there[np.argsort(at.ravel()[there], kind="stable")]
        columns = {"car": car, "seg": segment, "lane": lane, "speed": speed}
        return _table(at.ravel()[order], {name: column.ravel()[order] for name, column in columns.items()})

    def _signs(self, held: Sequence[Held]) -> pa.Table:
        found = [(second * SECOND, _BESIDE, "", "") for second in range(1, self.seconds)]
        found += [(self.seconds * SECOND - 1, _BESIDE, "", "")]
        for segment, context, begin, end in held:
            found.append((int(begin * SECOND), segment, context, "begins"))
            found.append((int(end * SECOND), segment, context, "ends"))
        at, segments, contexts, states = zip(*sorted(found), strict=True)
        columns = {"seg": list(segments), "context": list(contexts), "state": list(states)}
        inside = np.flatnonzero(np.array(at) < self.seconds * SECOND)
        return _table(np.array(at), columns).take(pa.array(inside))


def _table(at: np.ndarray, columns: Mapping[str, object]) -> pa.Table:
    return pa.table({"at": pa.array(at + _START, pa.timestamp("us", "UTC")), **columns})


def _micros(table: pa.Table) -> np.ndarray:
    found: np.ndarray = table["at"].cast(pa.int64()).to_numpy()
    return found


class Distribution(NamedTuple):
    """Where windows lie: in which part of the stream, from 0 to 1."""

    name: str = "uniform"
    begin: float = 0.0
    end: float = 1.0


def spread(
    road: Road, contexts: Sequence[str], windows: int, length: float, where: Distribution | None = None
) -> Iterator[Held]:
    """Windows of one length that do not overlap, in turn of each context, in every segment at other moments."""
    where = where or Distribution()
    source = np.random.default_rng(SEED + 1)
    free = road.seconds * (where.end - where.begin) - windows * length
    for segment in range(road.segments):
        gaps = np.sort(source.random(windows)) * max(free, 0)
        for number, gap in enumerate(gaps):
            begin = road.seconds * where.begin + gap + number * length
            moment = round(begin, 3) + 0.0001 * (number + 1)
            yield Held(segment, contexts[number % len(contexts)], moment, moment + length - 0.001)


def covered(batches: Sequence[Mapping[str, pa.Table]], held: Sequence[Held]) -> float:
    """Which part of the reports lies in windows."""
    inside = total = 0
    for batch in batches:
        at, segment = (_micros(batch["reports"]) - _START) / SECOND, batch["reports"]["seg"].to_numpy()
        mask = np.zeros(len(at), np.bool_)
        for window in held:
            mask |= (segment == window.segment) & (at > window.begin) & (at <= window.end)
        inside += int(np.count_nonzero(mask))
        total += len(at)
    return inside / total
