"""The baseline of `benchmarks.cep`: patterns and windows as one writes them in plain Python, event by event.

An automaton per pattern: steps with conditions as closures, runs in a deque for each key, runs that the window has left
behind dropped from its left. `benchmarks.naive_operator` puts it where the engine's operators stand.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

__all__ = ["Absence", "Automaton", "Both", "Event", "Naive", "Row", "Session", "Sliding", "Step"]


class Event(NamedTuple):
    """One event; `time` in microseconds."""

    time: int
    id: str
    sensor: str
    kind: str
    x: float


class Row(NamedTuple):
    """What became true.

    Attributes:
        time: when, in microseconds.
        runs: by variable, its events.
        item: what is selected.
        window: start and end of an aggregate's.
    """

    time: int
    runs: tuple[tuple[Event, ...], ...]
    item: float
    window: tuple[int, int] | None = None


Test = Callable[[Event], bool]


class Naive(Protocol):
    """Takes events in total order."""

    def process(self, events: Sequence[Event], watermark: int) -> list[Row]:
        """The rows that become true with these events, or before the watermark: all later events are there or later."""

    def size(self) -> int:
        """How many events, counted once for each partial match that holds them, are kept."""


@dataclass(frozen=True, slots=True)
class Step:
    """One element of a sequence.

    Attributes:
        accepts: its FILTER.
        link: how it is reached: `->>`, `->` or `=>`.
        least: how many events it takes at least.
        most: and at most.
        unless: an event that ends a run that waits for this step (NOT between two elements).
    """

    accepts: Test
    link: str = "->>"
    least: int = 1
    most: int = 1
    unless: Test | None = None


@dataclass(slots=True)
class _Run:
    start: int
    step: int
    count: int
    runs: tuple[tuple[Event, ...], ...]


@dataclass(slots=True)
class Automaton:
    """A sequence for each key, within a window.

    Attributes:
        steps: its elements; the first takes one event.
        width: of the window, in microseconds.
    """

    steps: Sequence[Step]
    width: int
    runs: dict[str, deque[_Run]] = field(default_factory=lambda: defaultdict(deque))

    def process(self, events: Sequence[Event], watermark: int) -> list[Row]:  # noqa: ARG002 - needs no time
        """See `Naive.process`."""
        rows: list[Row] = []
        first = self.steps[0].accepts
        for event in events:
            runs = self.runs[event.sensor]
            while runs and runs[0].start < event.time - self.width:
                runs.popleft()
            if runs:
                self.runs[event.sensor] = runs = self._advanced(runs, event, rows)
            if first(event):
                runs.append(_Run(event.time, 1, 0, ((event,),)))
        return rows

    def _advanced(self, runs: deque[_Run], event: Event, rows: list[Row]) -> deque[_Run]:
        kept: deque[_Run] = deque()
        for run in runs:
            step = self.steps[run.step]
            if step.unless is not None and step.unless(event):
                continue
            stays = step.link == "->>"
            if run.count < step.most and step.accepts(event):
                self._take(run, event, kept, rows)
            elif step.least <= run.count and run.step + 1 < len(self.steps) and self.steps[run.step + 1].accepts(event):
                self._take(_Run(run.start, run.step + 1, 0, run.runs), event, kept, rows)
            elif step.link != "=>":
                stays = True
            if stays:
                kept.append(run)
        return kept

    def _take(self, run: _Run, event: Event, kept: deque[_Run], rows: list[Row]) -> None:
        runs = (*run.runs[:-1], (*run.runs[-1], event)) if run.count else (*run.runs, (event,))
        count = run.count + 1
        step = self.steps[run.step]
        last = run.step + 1 == len(self.steps)
        if last and count >= step.least:
            rows.append(Row(event.time, runs, runs[0][0].x))
        if count < step.most:
            kept.append(_Run(run.start, run.step, count, runs))
        elif not last:
            kept.append(_Run(run.start, run.step + 1, 0, runs))

    def size(self) -> int:
        """See `Naive.size`."""
        return sum(len(events) for runs in self.runs.values() for run in runs for events in run.runs)


@dataclass(slots=True)
class Absence:
    """An event after which, for so long, no other comes of the same key.

    Attributes:
        first: the event.
        absent: what must not come.
        width: for how long, in microseconds.
    """

    first: Test
    absent: Test
    width: int
    waiting: deque[tuple[Event, list[bool]]] = field(default_factory=deque)
    of_key: dict[str, list[list[bool]]] = field(default_factory=lambda: defaultdict(list))

    def process(self, events: Sequence[Event], watermark: int) -> list[Row]:
        """See `Naive.process`."""
        rows: list[Row] = []
        for event in events:
            if self.waiting and self.waiting[0][0].time + self.width < event.time:
                self._pass(event.time, rows)
            if self.absent(event):
                for alive in self.of_key.pop(event.sensor, ()):
                    alive[0] = False
            if self.first(event):
                alive = [True]
                self.waiting.append((event, alive))
                self.of_key[event.sensor].append(alive)
        self._pass(watermark, rows)
        return rows

    def _pass(self, time: int, rows: list[Row]) -> None:
        while self.waiting and self.waiting[0][0].time + self.width < time:
            began, alive = self.waiting.popleft()
            if alive[0]:
                self.of_key[began.sensor].remove(alive)
                rows.append(Row(began.time + self.width, ((began,),), began.x))

    def size(self) -> int:
        """See `Naive.size`."""
        return len(self.waiting)


@dataclass(slots=True)
class Both:
    """An event and then two others in any order, for each key, within a window."""

    first: Test
    one: Test
    other: Test
    width: int
    kept: dict[str, tuple[deque[Event], deque[Event], deque[Event]]] = field(
        default_factory=lambda: defaultdict(lambda: (deque(), deque(), deque()))
    )

    def process(self, events: Sequence[Event], watermark: int) -> list[Row]:  # noqa: ARG002 - needs no time
        """See `Naive.process`."""
        rows: list[Row] = []
        for event in events:
            kept = self.kept[event.sensor]
            for queue in kept:
                while queue and queue[0].time < event.time - self.width:
                    queue.popleft()
            firsts, ones, others = kept
            if self.one(event):
                own = (event,)
                rows += [
                    Row(event.time, ((first,), own, (partner,)), first.x)
                    for first in firsts
                    for partner in others
                    if first.time < partner.time
                ]
                ones.append(event)
            if self.other(event):
                own = (event,)
                rows += [
                    Row(event.time, ((first,), (partner,), own), first.x)
                    for first in firsts
                    for partner in ones
                    if first.time < partner.time
                ]
                others.append(event)
            if self.first(event):
                firsts.append(event)
        return rows

    def size(self) -> int:
        """See `Naive.size`."""
        return sum(len(queue) for queues in self.kept.values() for queue in queues)


@dataclass(slots=True)
class Sliding:
    """The mean over a sliding window, for each key, while it is above a bound."""

    accepts: Test
    width: int
    above: float
    kept: dict[str, deque[Event]] = field(default_factory=lambda: defaultdict(deque))
    sums: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def process(self, events: Sequence[Event], watermark: int) -> list[Row]:  # noqa: ARG002 - needs no time
        """See `Naive.process`."""
        rows: list[Row] = []
        for event in events:
            if not self.accepts(event):
                continue
            queue = self.kept[event.sensor]
            queue.append(event)
            total = self.sums[event.sensor] + event.x
            while queue[0].time <= event.time - self.width:
                total -= queue.popleft().x
            self.sums[event.sensor] = total
            if total / len(queue) > self.above:
                window = (event.time - self.width, event.time)
                rows.append(Row(event.time, ((event,),), total / len(queue), window))
        return rows

    def size(self) -> int:
        """See `Naive.size`."""
        return sum(map(len, self.kept.values()))


@dataclass(slots=True)
class Session:
    """The number of events of each session of each key."""

    accepts: Test
    gap: int
    open: dict[str, tuple[int, int, Event]] = field(default_factory=dict)

    def process(self, events: Sequence[Event], watermark: int) -> list[Row]:
        """See `Naive.process`; of a session its start, its number of events and its last one are kept."""
        rows: list[Row] = []
        for event in events:
            if not self.accepts(event):
                continue
            self._pass(event.time, rows)
            start, number, _ = self.open.pop(event.sensor, (event.time, 0, event))
            self.open[event.sensor] = start, number + 1, event
        self._pass(watermark, rows)
        return rows

    def _pass(self, time: int, rows: list[Row]) -> None:
        """Keys stand in the order of their last events: those that are over stand first."""
        while self.open:
            start, number, last = next(iter(self.open.values()))
            end = last.time + self.gap
            if end > time:
                return
            del self.open[last.sensor]
            rows.append(Row(end, ((last,),), number, (start, end)))

    def size(self) -> int:
        """See `Naive.size`."""
        return len(self.open)
