"""What `benchmarks.contexts` varies, figure by figure: CAESAR's Fig. 11 to 14, and the cost of suspended queries."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from .contexts_queries import overlapping, pattern, separate
from .contexts_runs import Case, annotated, compare, measure, of_process, prepared, process, same_per_context
from .contexts_workload import Distribution, Held, Road, covered, spread

__all__ = ["FIGURES", "Point", "Scale", "ratios"]

_FORMS = ("aware", "alone", "staged")
_CRITICAL = ("congestion", "accident")
_LENGTH = 180
"""Seconds of a window, two of which cover a fifth of the stream (paper, §7.3.1)."""
_OVERLAPPING, _OVERLAP = 900, 600
"""Seconds of a window, and for how many of them all overlap at least (paper, §7.3.2)."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a run is.

    Attributes:
        road: of all figures that do not vary it.
        of_road: segments of one road.
        queries: in each context where a bar looks, and twice as many as in the figures that do not vary it.
        rounds: of the points that bars look at; of the others one.
        thinned: fewer points.
    """

    road: Road
    of_road: int = 4
    queries: int = 10
    rounds: int = 5
    thinned: bool = False

    def points(self, values: Sequence[float]) -> Sequence[float]:
        """All of them, or the first and the last."""
        return (values[0], values[-1]) if self.thinned else values


@dataclass(frozen=True, slots=True)
class Point:
    """What one form takes at one place of a figure.

    Attributes:
        figure: its name.
        x: what is varied.
        form: of the queries.
        seconds: of the processor, in each round.
        coverage: which part of the reports lies in windows.
        rows: of all queries.
    """

    figure: str
    x: float
    form: str
    seconds: tuple[float, ...]
    coverage: float
    rows: int = 0


def ratios(found: Sequence[Point], figure: str, form: str, to: str) -> Mapping[float, float]:
    """By place, how many times as long one form takes as another: the median of the rounds."""
    of = {(point.x, point.form): point.seconds for point in found if point.figure == figure}
    return {
        x: statistics.median(one / other for one, other in zip(of[x, form], of[x, to], strict=True))
        for x in dict.fromkeys(place for place, _ in of)
    }


def _critical(queries: int) -> Case:
    return Case(_CRITICAL, tuple((context, pattern(i)) for context, i in product(_CRITICAL, range(queries))))


def _points(figure: str, x: float, road: Road, held: Sequence[Held], *, case: Case, rounds: int) -> Iterator[Point]:
    part = covered(road.batches(held), held)
    found = measure(case, annotated(road, held), _FORMS, rounds)
    for form, taken in found.seconds.items():
        yield Point(figure, x, form, taken, part, found.rows)


def _queries(scale: Scale) -> Iterator[Point]:
    held = list(spread(scale.road, _CRITICAL, 2, scale.road.seconds / 10))
    for count in scale.points((1, 5, 10, 20)):
        rounds = scale.rounds if count == scale.queries else 1
        yield from _points("queries", count, scale.road, held, case=_critical(int(count)), rounds=rounds)


def _batches(scale: Scale) -> Iterator[Point]:
    for count in scale.points((50_000, 100_000, 200_000, 300_000)):
        road = replace(scale.road, batch=min(int(count), scale.road.events))
        held = list(spread(road, _CRITICAL, 2, road.seconds / 10))
        yield from _points("batches", count, road, held, case=_critical(scale.queries), rounds=1)


def _roads(scale: Scale) -> Iterator[Point]:
    for count in scale.points((1, 3, 5, 7, 50)):
        # A batch is always of the same span of time, as a trigger makes them.
        road = replace(scale.road, segments=scale.of_road * int(count), cars=max(1, scale.road.cars // 10))
        road = replace(road, batch=max(1, round(road.events * scale.road.batch / scale.road.events)))
        held = list(spread(road, _CRITICAL, 2, road.seconds / 10))
        yield from _points("roads", count, road, held, case=_critical(scale.queries // 2), rounds=1)


def _length(scale: Scale) -> Iterator[Point]:
    for part in scale.points((0.1, 0.2, 0.5, 0.7, 0.9)):
        held = list(spread(scale.road, _CRITICAL, 2, scale.road.seconds * part / 2))
        yield from _points("length", part, scale.road, held, case=_critical(scale.queries // 2), rounds=scale.rounds)


def _number(scale: Scale) -> Iterator[Point]:
    for count in scale.points((2, 4, 10, 14, 18)):
        held = list(spread(scale.road, _CRITICAL, int(count), scale.road.seconds / 20))
        yield from _points("number", count, scale.road, held, case=_critical(scale.queries // 2), rounds=scale.rounds)


def _distribution(scale: Scale) -> Iterator[Point]:
    road = replace(scale.road, rising=True)
    places = (Distribution("early", 0, 0.3), Distribution(), Distribution("late", 0.7, 1))
    for where, count in product(places, scale.points((1, 5, 10, 20))):
        held = list(spread(road, _CRITICAL, 2, road.seconds / 10, where))
        batches, case = annotated(road, held), _critical(int(count))
        taken = of_process(case.text("aware"), len(case.queries), batches)
        part = covered(road.batches(held), held)
        yield Point("distribution", count, where.name, (taken.seconds,), part, sum(own.num_rows for own in taken.rows))


def _held(road: Road, names: Sequence[str], overlap: float) -> list[Held]:
    """In each segment a window of each context, which all overlap for so many seconds of half an hour."""
    length, first = road.seconds * _OVERLAPPING / 1_800, road.seconds / 8
    late = (length - road.seconds * overlap / 1_800) / max(1, len(names) - 1)
    return [
        Held(segment, name, first + 0.001 * (segment + 1) + late * number, first + length + late * number)
        for segment, (number, name) in product(range(road.segments), enumerate(names))
    ]


def _overlapping(
    scale: Scale, figure: str, x: float, *, windows: int = 30, overlap: float = _OVERLAP, queries: int = 4
) -> Iterator[Point]:
    """Windows of one length that all overlap, each of another context, shared by queries or not."""
    road, names = scale.road, tuple(f"c{number}" for number in range(windows))
    held = _held(road, names, overlap)
    batches, part = annotated(road, held), covered(road.batches(held), held)
    asked = [pattern(number) for number in range(queries)]
    texts = {"shared": overlapping(names, asked), "separate": separate(names, asked)}
    statements = {"shared": queries, "separate": queries * windows}
    off = {"shared": None, "separate": "sharing"}
    taken = {form: of_process(text, statements[form], batches, off[form]) for form, text in texts.items()}
    rows = same_per_context(taken["shared"], taken["separate"], names)
    for form, own in taken.items():
        yield Point(figure, x, form, (own.seconds,), part, rows)


def _windows(scale: Scale) -> Iterator[Point]:
    for count in scale.points((1, 5, 15, 30, 45) if not scale.thinned else (1, 4)):
        yield from _overlapping(scale, "overlapping windows", count, windows=int(count))


def _overlap(scale: Scale) -> Iterator[Point]:
    for minutes in scale.points((1, 5, 10, 15)):
        yield from _overlapping(scale, "overlap", minutes, windows=4 if scale.thinned else 30, overlap=minutes * 60)


def _shared(scale: Scale) -> Iterator[Point]:
    for count in scale.points((1, 4, 10) if not scale.thinned else (1, 2)):
        windows = 4 if scale.thinned else 30
        yield from _overlapping(scale, "shared queries", count, windows=windows, queries=int(count))


def _switches(scale: Scale) -> Iterator[Point]:
    """Each part of the optimiser switched off: short windows, queries in many contexts, equal queries in each."""
    names = tuple(f"c{number}" for number in range(4 if scale.thinned else 15))
    asked = [pattern(number) for number in range(2)]
    short, many = list(spread(scale.road, _CRITICAL, 2, scale.road.seconds / 10)), _held(scale.road, names, _OVERLAP)
    case = _critical(scale.queries)
    texts = {
        "push_down": (case.text("aware"), len(case.queries), short),
        "grouping": (overlapping(names, asked), len(asked), many),
        "sharing": (separate(names, asked), len(asked) * len(names), many),
    }
    for place, (switch, (text, statements, held)) in enumerate(texts.items()):
        batches, part = annotated(scale.road, held), covered(scale.road.batches(held), held)
        taken = {off: of_process(text, statements, batches, off) for off in (None, switch)}
        rows = compare(switch, taken[None], taken[switch])
        for off, own in taken.items():
            form = f"{switch} {'on' if off is None else 'off'}"
            yield Point("switches", place, form, (own.seconds,), part, rows)


def _suspended(scale: Scale) -> Iterator[Point]:
    """Queries that are active, alone and beside many in a context that never holds.

    Both are compiled before either is timed: while a hundred queries are compiled, allocators give memory back, and
    whoever comes then has twice the page faults.
    """
    held = list(spread(scale.road, _CRITICAL, 2, scale.road.seconds / 10))
    batches, contexts = annotated(scale.road, held), (*_CRITICAL, "never")
    active = _critical(scale.queries).queries
    idle = tuple(("never", pattern(number)) for number in range(100))
    texts = {"none": Case(contexts, active).text("aware"), "100": Case(contexts, (*idle, *active)).text("aware")}
    seconds: dict[str, list[float]] = {form: [] for form in texts}
    for turn in range(2 * scale.rounds + 1):
        flows = {form: prepared(text, len(active)) for form, text in texts.items()}
        gc.collect()
        order = list(texts) if turn % 2 else list(reversed(texts))
        taken = {form: process(*flows[form], batches) for form in order}
        compare("suspended", taken["none"], taken["100"])
        for form, own in taken.items() if turn else ():  # the first one warms up
            seconds[form].append(own.seconds)
    for form, spent in seconds.items():
        yield Point("suspended", 0, form, tuple(spent), 0)


FIGURES: Mapping[str, Callable[[Scale], Iterator[Point]]] = {
    "queries": _queries,
    "batches": _batches,
    "roads": _roads,
    "length": _length,
    "number": _number,
    "distribution": _distribution,
    "overlapping windows": _windows,
    "overlap": _overlap,
    "shared queries": _shared,
    "suspended": _suspended,
    "switches": _switches,
}
"""By name, what measures it."""
