"""The benchmark of contexts at a small scale: all forms give the same rows, and figures can be drawn."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from kaicep.benchmarks.contexts import QUICK, of_figures
from kaicep.benchmarks.contexts_expressways import later, waited, without_spark
from kaicep.benchmarks.contexts_figures import FIGURES, Point
from kaicep.benchmarks.contexts_plot import draw, draw_latency
from kaicep.benchmarks.contexts_queries import pattern
from kaicep.benchmarks.contexts_runs import Case, annotated, measure
from kaicep.benchmarks.contexts_workload import covered, spread
from kaicep.examples.linear_road import reports
from kaicep.pipeline.flow.batch import live_batch

CONTEXTS = ("congestion", "accident")


def test_contexts_and_conditions_by_hand_give_the_same_rows() -> None:
    held = list(spread(QUICK.road, CONTEXTS, 4, 45))
    case = Case(CONTEXTS, tuple(product(CONTEXTS, map(pattern, range(5)))))
    found = measure(case, annotated(QUICK.road, held), ("aware", "alone", "staged"), 1)
    assert found.rows > 50
    assert 0.4 < covered(QUICK.road.batches(held), held) < 0.8


@pytest.mark.long
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


def test_a_report_waits_for_its_batch_and_for_those_before() -> None:
    """Its two seconds begin, end, and then batches run one after the other."""
    assert waited([0.5, 0.5, 0.5], 2) == 2.5
    assert waited([0.5, 3.0, 0.5], 2) == 5.0
    assert waited([3.0, 3.0, 3.0], 2) == 7.0


def test_a_recording_that_begins_again_makes_no_more_state() -> None:
    flow, recorded = without_spark(), reports.load_reports()
    every = [later(recorded, turn).head(3_000) for turn in range(3)]
    assert not set(every[0]["vid"]) & set(every[1]["vid"])
    sizes = []
    for own in every:
        flow.process(live_batch(flow.annotators, {"report": own.to_arrow()}))
        sizes.append(sum(map(len, flow.snapshot().values())))
    assert sizes[2] < 1.05 * sizes[1]


def test_latency_is_drawn(tmp_path: Path) -> None:
    draw_latency({"optimised": [(1, 2.5), (20, 3)], "plain": [(1, 3), (20, 6)]}, 5, tmp_path / "latency.svg")
    assert (tmp_path / "latency.svg").stat().st_size > 5_000
