"""The benchmark of contexts at a small scale: all forms give the same rows, and figures can be drawn."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from kaicep.benchmarks.contexts import QUICK, of_figures
from kaicep.benchmarks.contexts_figures import FIGURES, Point
from kaicep.benchmarks.contexts_plot import draw
from kaicep.benchmarks.contexts_queries import pattern
from kaicep.benchmarks.contexts_runs import Case, annotated, measure
from kaicep.benchmarks.contexts_workload import covered, spread

CONTEXTS = ("congestion", "accident")


def test_contexts_and_conditions_by_hand_give_the_same_rows() -> None:
    held = list(spread(QUICK.road, CONTEXTS, 4, 45))
    case = Case(CONTEXTS, tuple(product(CONTEXTS, map(pattern, range(5)))))
    found = measure(case, annotated(QUICK.road, held), ("aware", "alone", "staged"), 1)
    assert found.rows > 50
    assert 0.4 < covered(QUICK.road.batches(held), held) < 0.8


def test_queries_in_overlapping_contexts_give_what_they_give_in_each() -> None:
    """And queries in a context that never holds change nothing; `FIGURES` compare the rows."""
    for figure in ("shared queries", "suspended"):
        found = list(FIGURES[figure](QUICK))
        assert {point.figure for point in found} == {figure}
        assert all(second > 0 for point in found for second in point.seconds)


def test_windows_cover_the_part_of_the_stream_that_they_should() -> None:
    for part in (0.1, 0.5, 0.9):
        held = list(spread(QUICK.road, CONTEXTS, 2, QUICK.road.seconds * part / 2))
        assert abs(covered(QUICK.road.batches(held), held) - part) < 0.1


def test_figures_are_drawn_and_bars_are_told(tmp_path: Path) -> None:
    forms = dict.fromkeys(FIGURES, ("aware", "alone", "staged")) | {
        "optimiser": ("greedy", "exhaustive"),
        "distribution": ("early", "uniform", "late"),
        **dict.fromkeys(("overlapping windows", "overlap", "shared queries"), ("shared", "separate")),
        "suspended": ("none", "100"),
    }
    found = [
        Point(figure, x, form, (1.0 + place,), 0.2)
        for figure, names in forms.items()
        for x in ((0,) if figure == "suspended" else (1, 10))
        for place, form in enumerate(names)
    ]
    draw(found, "synthetic", tmp_path / "contexts.svg")
    assert (tmp_path / "contexts.svg").stat().st_size > 10_000
    passed = {bar.what.partition(":")[0]: bar.passed for bar in of_figures(found)}
    assert passed["any part covered"]
    assert not passed["10 queries in each context, a fifth covered"]
