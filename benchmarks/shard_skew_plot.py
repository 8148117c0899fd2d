"""What more cores bring where keys are skewed, drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

mpl.use("Agg")

Found = Sequence[Mapping[str, Any]]


def draw(found: Found, even: float, target: Path) -> None:
    """Write a figure for each remedy; the ending of `target` is the format."""
    remedies = dict.fromkeys(one["remedy"] for one in found)
    figure, grid = plt.subplots(1, len(remedies), figsize=(4.2 * len(remedies), 4.4), layout="constrained", sharey=True)
    for axes, remedy in zip(grid, remedies, strict=True):
        _figure(axes, [one for one in found if one["remedy"] == remedy], even, ceilings=remedy == "one query")
        axes.set_title(remedy, fontsize=10)
    grid[0].set(ylabel="times as fast as one core")
    grid[0].legend(fontsize=8, title="Zipf exponent, hottest key", title_fontsize=8)
    figure.suptitle("What cores bring where keys are skewed (dotted: the ceiling of the hottest key)", fontsize=11)
    figure.savefig(target, dpi=90)
    plt.close(figure)


def _figure(axes: Axes, found: Found, even: float, *, ceilings: bool) -> None:
    cores = sorted({one["cores"] for one in found})
    axes.plot(cores, cores, color="lightgray", linewidth=4, zorder=0)
    for place, exponent in enumerate(dict.fromkeys(one["exponent"] for one in found)):
        own = [one for one in found if one["exponent"] == exponent]
        label = f"{exponent:g}, {own[0]['hottest']:.2g}"
        axes.plot(
            cores, [one["times"] for one in own], color=f"C{place}", marker="o", markersize=4, label=label
        )  # fmt: skip
        if ceilings and 1 / ((1 - even) * own[0]["hottest"]) < cores[-1]:
            axes.axhline(1 / ((1 - even) * own[0]["hottest"]), color=f"C{place}", linestyle=":")
    axes.set(xscale="log", yscale="log", xlabel="cores")
    axes.set_xticks(cores, [str(count) for count in cores])
    axes.set_yticks(cores, [str(count) for count in cores])
    axes.minorticks_off()
    axes.grid(visible=True, alpha=0.25)
