"""CPU of a batch by who uses it, by batch size and by the number of parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from .cluster_processes import DRIVER, ROLES
from .cluster_runs import Measured

mpl.use("Agg")

_COLOURS = ("tab:red", "tab:orange", "tab:blue", "tab:green")


def draw(found: Sequence[Measured], title: str, target: Path) -> None:
    """Write the three figures side by side; the ending of `target` is the format."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(16, 6), layout="constrained")
    same = [m for m in found if m.run.parts == 2]
    _all(left, same)
    _driver(middle, same)
    _parts(right, found)
    figure.suptitle(title, fontsize=10)
    figure.savefig(target, dpi=100)
    plt.close(figure)


def _stack(axes: Axes, bars: Sequence[Measured], roles: Sequence[str], labels: Sequence[str]) -> None:
    base = [0.0] * len(bars)
    for role, colour in zip(ROLES, _COLOURS, strict=True):
        if role in roles:
            heights = [one.cpu[role] for one in bars]
            axes.bar(range(len(bars)), heights, bottom=base, color=colour, label=role)
            base = [below + height for below, height in zip(base, heights, strict=True)]
    axes.set_xticks(range(len(bars)), labels, rotation=55, ha="right", fontsize=8)
    axes.grid(visible=True, axis="y", alpha=0.3)
    axes.legend(fontsize=8)


def _label(one: Measured) -> str:
    return f"{one.session}{', no rows' if one.run.quiet else ''}\n{one.run.rows:,} rows"


def _all(axes: Axes, found: Sequence[Measured]) -> None:
    per_event = [one for one in found if not one.run.quiet]
    _stack(axes, per_event, ROLES, [_label(one) for one in per_event])
    axes.set(yscale="linear", ylabel="CPU ms a batch")
    axes.set_title("All of it")


def _driver(axes: Axes, found: Sequence[Measured]) -> None:
    own = [one for one in found if one.session != "driver hosts"]
    _stack(axes, own, DRIVER, [_label(one) for one in own])
    axes.set(ylabel="CPU ms a batch")
    axes.set_title("The driver, executors hosting")


def _parts(axes: Axes, found: Sequence[Measured]) -> None:
    rows = next((one.run.rows for one in found if one.run.parts > 2), 0)
    own = [one for one in found if one.session == "two workers" and one.run.rows == rows and not one.run.quiet]
    own.sort(key=lambda one: one.run.parts)
    _stack(axes, own, DRIVER, [f"{one.run.parts} files, tasks, shards" for one in own])
    axes.set(ylabel="CPU ms a batch")
    axes.set_title(f"The driver by parts, {rows:,} rows a batch, two workers")
