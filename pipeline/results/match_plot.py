"""Panels drawn by matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ...errors import PipelineError
from .event_series import EventSeries
from .match_panels import Line, Panel, panels_of_matches

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["MatchPlot", "plot_matches"]

_MARKERS = "ov^sDP*X"
_MARK_COLOURS = ("#c1121f", "#1d3557", "#2a9d8f", "#e07a00", "#6a4c93", "#33691e", "#000000", "#8d6e63")
_SPAN_COLOUR = "#f4a261"
_FEW = 60  # points of a line that are worth a dot each


@dataclass(frozen=True, slots=True)
class MatchPlot:
    """A drawn plot: notebooks show it, `save` writes it, `figure` is matplotlib's, to go on with.

    Attributes:
        figure: of matplotlib; of no window, so that it needs no screen.
    """

    figure: Figure

    @property
    def axes(self) -> list[Axes]:
        """Of each panel, from the top."""
        return list(self.figure.axes)

    def save(self, path: str | Path, **options: Any) -> Path:
        """Write the plot; the ending says as what: `.png`, `.svg`, `.pdf`. Options are those of `Figure.savefig`."""
        self.figure.savefig(path, **options)
        return Path(path)

    def _repr_png_(self) -> bytes:
        """The picture, for notebooks."""
        picture = io.BytesIO()
        self.figure.savefig(picture, format="png", dpi=110)
        return picture.getvalue()


def plot_matches(
    table: pa.Table,
    events: Mapping[str, EventSeries],
    prefixes: Mapping[str, str],
    *,
    attribute: str | None,
    by: Sequence[str] | None,
    ax: Any,
) -> MatchPlot:
    """Draw rows and the events that they were found in; see `Rows.plot`.

    Raises:
        PipelineError: there is nothing to draw, one pair of axes is not enough, or matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise PipelineError(
            "matplotlib is not installed", hint="run `pip install matplotlib`, or `pip install 'kaicep[plot]'`"
        ) from error
    panels = panels_of_matches(table, events, prefixes, attribute, by)
    if ax is not None:
        if len(panels) > 1:
            names = ", ".join(panel.title for panel in panels)
            raise PipelineError(f"{names}: each needs axes of its own", hint="say which to draw in these: plot('…')")
        _draw(ax, panels[0])
        return MatchPlot(ax.get_figure())
    figure = Figure(figsize=(10, 0.7 + 2.6 * len(panels)), layout="constrained")
    grid = figure.subplots(len(panels), sharex=True, squeeze=False)
    for axes, panel in zip(grid[:, 0], panels, strict=True):
        _draw(axes, panel)
    grid[-1, 0].set_xlabel("time (UTC)")
    return MatchPlot(figure)


def _draw(ax: Axes, panel: Panel) -> None:
    from matplotlib.dates import ConciseDateFormatter  # noqa: PLC0415 - an extra

    for start, end in panel.spans.iter_rows():
        ax.axvspan(start, end, color=_SPAN_COLOUR, alpha=0.25, linewidth=0)
    for line in panel.lines:
        few = line.points.height <= _FEW
        ax.plot(*_coordinates(line), linewidth=1, alpha=0.8, marker="." if few else None, label=line.label or None)
    for place, marks in enumerate(panel.marks):
        marker, colour = _MARKERS[place % len(_MARKERS)], _MARK_COLOURS[place % len(_MARK_COLOURS)]
        if marks.points.height:
            label = f"match: {marks.label}"
            ax.scatter(*_coordinates(marks), s=18, zorder=3, label=label, marker=marker, color=colour)
    ax.set_ylabel(panel.title)
    dates = ConciseDateFormatter(ax.xaxis.get_major_locator())  # type: ignore[no-untyped-call]  # has no types
    ax.xaxis.set_major_formatter(dates)
    ax.grid(alpha=0.3)
    _explain(ax, panel)


def _explain(ax: Axes, panel: Panel) -> None:
    """The legend, beside the axes so that it hides nothing."""
    title = f"and {panel.left_out} more" if panel.left_out else None
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small", title=title, frameon=False)


def _coordinates(line: Line) -> tuple[Any, Any]:
    return line.points["time"].dt.replace_time_zone(None).to_numpy(), line.points["value"].to_numpy()
