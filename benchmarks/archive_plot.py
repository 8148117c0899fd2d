"""Fig. 9a to 9c of the paper, drawn anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from .archive_recovery import Recovery

mpl.use("Agg")

_COLOURS = {"replay": "tab:orange", "rewrite": "tab:blue", "hybrid": "tab:green", "planner": "black"}
_MARKERS = {60: "o", 120: "s"}
_LINES = {60: ":", 120: "-"}
_FIGURES: tuple[tuple[str, Callable[[Recovery], float | None]], ...] = (
    ("a. initial recovery latency (s)", lambda one: one.latency),
    ("b. catch-up duration (s)", lambda one: one.duration),
    ("c. catch-up throughput (events/s)", lambda one: one.throughput),
)


def draw(found: Sequence[Recovery], title: str, limit: float, target: Path) -> None:
    """Write a row of figures for each query and rate; the ending of `target` is the format."""
    rows = sorted({(one.outage.query, one.outage.rate) for one in found})
    figure, grid = plt.subplots(len(rows), 3, figsize=(15, 3.4 * len(rows)), layout="constrained", squeeze=False)
    for (query, rate), line in zip(rows, grid, strict=True):
        own = [one for one in found if (one.outage.query, one.outage.rate) == (query, rate)]
        for axes, (name, value) in zip(line, _FIGURES, strict=True):
            _figure(axes, own, value, limit)
            axes.set_title(f"Query {query}, {rate:,} events/s: {name}", fontsize=9)
    figure.legend(*grid[0][0].get_legend_handles_labels(), loc="outside lower center", fontsize=8, ncols=4)
    figure.suptitle(title, fontsize=10)
    figure.savefig(target, dpi=80)
    plt.close(figure)


def _figure(axes: Axes, found: Sequence[Recovery], value: Callable[[Recovery], float | None], limit: float) -> None:
    for strategy, colour in _COLOURS.items():
        for archive, line in _LINES.items():
            own = [one for one in found if (one.outage.strategy, one.outage.archive) == (strategy, archive)]
            points = [(one.outage.down, height) for one in own if (height := value(one)) is not None]
            axes.plot(
                [down for down, _ in points], [height for _, height in points], label=f"{strategy}, {archive} min",
                color=colour, linestyle=line, marker=_MARKERS[archive], markersize=5, markerfacecolor="none",
            )  # fmt: skip
            beyond = [one.outage.down for one in own if one.duration is None and not one.refused]
            axes.plot(beyond, [0.97] * len(beyond), "x", color=colour, transform=axes.get_xaxis_transform())
    axes.set(yscale="log", xlabel=f"down-time (min); x: not within {limit:g} s")
    axes.grid(visible=True, which="both", alpha=0.25)
