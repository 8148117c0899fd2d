"""Fig. 11 to 14 of the paper, drawn anew."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from .contexts_figures import Point

mpl.use("Agg")

_TITLES = {
    "optimiser": ("operators", "11a. Search of a plan"),
    "queries": ("queries per context", "12a. Queries per context"),
    "roads": ("roads", "12b. Roads"),
    "length": ("part of the stream in windows", "12c. Length of windows"),
    "number": ("windows in each segment", "12d. Number of windows"),
    "distribution": ("queries per context", "13. Where the windows lie"),
    "overlapping windows": ("windows that overlap", "14a. Overlapping windows"),
    "overlap": ("minutes for which all overlap", "14b. Length of the overlap"),
    "shared queries": ("queries shared", "14c. Shared queries"),
}
_COLOURS = {
    "aware": "tab:green", "alone": "tab:red", "staged": "tab:orange",
    "early": "tab:blue", "uniform": "tab:green", "late": "tab:purple",
    "shared": "tab:green", "separate": "tab:red",
    "greedy": "tab:green", "exhaustive": "tab:red",
    "optimised": "tab:green", "plain": "tab:red",
}  # fmt: skip


def draw(found: Sequence[Point], title: str, target: Path) -> None:
    """Write the figures side by side; the ending of `target` is the format."""
    figure, grid = plt.subplots(3, 3, figsize=(15, 12), layout="constrained")
    for axes, (name, (of, heading)) in zip(grid.flat, _TITLES.items(), strict=True):
        own = [point for point in found if point.figure == name]
        _figure(axes, own)
        axes.set(yscale="log", xlabel=of, ylabel="CPU seconds")
        axes.set_title(heading, fontsize=10)
        axes.grid(visible=True, which="both", alpha=0.25)
        if own:
            axes.legend(fontsize=8)
    figure.suptitle(title, fontsize=10)
    figure.savefig(target, dpi=90)
    plt.close(figure)


def draw_latency(found: Mapping[str, Sequence[tuple[int, float]]], limit: float, target: Path) -> None:
    """Write Fig. 11b: by plan, seconds that the longest waiting report of so many expressways waited."""
    figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
    for plan, points in found.items():
        axes.plot(*zip(*points, strict=True), label=plan, color=_COLOURS[plan], marker="o", markersize=4)
    axes.axhline(limit, color="tab:gray", linestyle="--", label=f"{limit:g} s")
    axes.set(xlabel="expressways", ylabel="seconds", ylim=(0, None), title="11b. Latency of the latest toll")
    axes.grid(visible=True, alpha=0.25)
    axes.legend(fontsize=8)
    figure.savefig(target, dpi=90)
    plt.close(figure)


def _figure(axes: Axes, found: Sequence[Point]) -> None:
    for form in dict.fromkeys(point.form for point in found):
        own = [point for point in found if point.form == form]
        axes.plot(
            [point.x for point in own], [statistics.median(point.seconds) for point in own],
            label=form, color=_COLOURS[form], marker="o", markersize=4,
        )  # fmt: skip
