"""Panels as matplotlib draws them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from matplotlib.figure import Figure
from support.result_rows import aggregates, pairs, selected


def test_a_plot_has_lines_marks_and_shades() -> None:
    (axes,) = pairs().plot().axes
    assert len(axes.lines) == 3
    assert len(axes.collections) == 2
    assert len(axes.patches) == 1
    labels = axes.get_legend_handles_labels()[1]
    assert labels == ["s:s0", "s:s1", "s:s2", "match: ?a", "match: ?b"]
    assert axes.get_ylabel() == "ppm [PPM]"


def test_panels_share_their_time() -> None:
    values, means = aggregates().plot().axes
    assert values.get_xlim() == means.get_xlim()
    assert (values.get_ylabel(), means.get_ylabel()) == ("ppm [PPM]", "mean")


def test_a_plot_is_shown_and_saved(tmp_path: Path) -> None:
    plot = selected().plot("ppm", by="room")
    assert plot._repr_png_().startswith(b"\x89PNG")
    assert plot.save(tmp_path / "plot.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_axes_of_ones_own_are_drawn_in() -> None:
    figure = Figure()
    axes = figure.subplots()
    assert selected().plot("ppm", ax=axes).figure is figure
    assert len(axes.lines) == len(selected().plot("ppm").axes[0].lines)


def test_one_pair_of_axes_holds_one_panel() -> None:
    with pytest.raises(PipelineError) as caught:
        aggregates().plot(ax=Figure().subplots())
    assert str(caught.value) == "ppm [PPM], mean: each needs axes of its own: say which to draw in these: plot('…')"


def test_matplotlib_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(PipelineError) as caught:
        selected().plot()
    assert str(caught.value) == (
        "matplotlib is not installed: run `pip install matplotlib`, or `pip install 'kaicep[plot]'`"
    )
