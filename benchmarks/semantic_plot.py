"""Fig. 8a and 8b of the paper, drawn anew."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from .semantic_stages import Point

mpl.use("Agg")

_STYLES = {
    "CEP only (Query 1)": ("black", "-", "o"),
    "naive": ("goldenrod", "-", "v"),
    "buffer 1 s": ("tab:blue", "-", "^"),
    "buffer 2 s": ("tab:blue", "--", "s"),
    "cache 10 %": ("tab:green", "--", "o"),
    "cache 100 %": ("tab:green", "-", "x"),
    "buffer 1 s + cache 10 %": ("tab:orange", ":", "o"),
    "buffer 1 s + cache 100 %": ("tab:orange", "--", "s"),
    "compiled": ("tab:red", "-", "D"),
}
_STAGES = ("annotator", "semantic_filter", "cep")
_COLOURS = ("tab:gray", "tab:red", "tab:blue")


def draw(points: Sequence[Point], title: str, target: Path) -> None:
    """Write both figures side by side; the ending of `target` is the format."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(15, 6.5), layout="constrained")
    _throughput(left, points)
    _latency(right, points)
    figure.suptitle(title, fontsize=10)
    figure.savefig(target, dpi=110)
    plt.close(figure)


def _throughput(axes: Axes, points: Sequence[Point]) -> None:
    rates = sorted({p.rate for p in points})
    axes.plot(rates, rates, color="lightgray", linewidth=1, label="input rate")
    for mode, (colour, line, marker) in _STYLES.items():
        own = [p for p in points if p.mode == mode]
        axes.plot(
            [p.rate for p in own], [p.throughput for p in own],
            color=colour, linestyle=line, marker=marker, markersize=5, markerfacecolor="none", label=mode,
        )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="input rate (events/s)", ylabel="sustained (events/s)")
    axes.set_title("a. Throughput of Query 1 and Query 5 (paper, Fig. 8a)")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize=8)


def _latency(axes: Axes, points: Sequence[Point]) -> None:
    chosen = _columns(points)
    width = 0.27
    for number, (stage, colour) in enumerate(zip(_STAGES, _COLOURS, strict=True)):
        places = [i + (number - 1) * width for i in range(len(chosen))]
        heights = [1e6 * getattr(p.cost, stage) for p in chosen]
        axes.bar(places, heights, width, color=colour, label=stage.replace("_", " "))
    axes.set_xticks(range(len(chosen)), [_label(p) for p in chosen], rotation=55, ha="right", fontsize=8)
    axes.set(yscale="log", ylabel="mean per event (µs)")
    axes.set_ylim(top=5 * max(1e6 * getattr(p.cost, stage) for p in chosen for stage in _STAGES))
    axes.set_title("b. Latency in each stage (paper, Fig. 8b)")
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.legend(fontsize=8, loc="upper center", ncols=3)


def _label(point: Point) -> str:
    one_by_one = point.mode == "naive" or point.mode.startswith("cache")
    return point.mode if one_by_one else f"{point.mode}\n{point.rate:,}/s"


def _columns(points: Sequence[Point]) -> list[Point]:
    """Modes that take events one by one cost the same at any rate; of the others a low and the highest rate."""
    found: list[Point] = []
    for mode in _STYLES:
        own = [p for p in points if p.mode == mode]
        one_by_one = mode == "naive" or mode.startswith("cache")
        found += own[-1:] if one_by_one else [p for p in own if p.rate == 1_000] + own[-1:]
    return found
