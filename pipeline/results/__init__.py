"""Rows of a query in; dictionaries, data frames, tables for people and plots of them out."""

from __future__ import annotations

from .event_series import EventSeries, series_by_variable
from .match_panels import Line, Panel, panels_of_matches
from .match_plot import MatchPlot
from .rows import Rows

__all__ = ["EventSeries", "Line", "MatchPlot", "Panel", "Rows", "panels_of_matches", "series_by_variable"]
