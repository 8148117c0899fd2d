"""Matches in; the rows that a query reports out."""

from __future__ import annotations

from .distinct import DistinctRows
from .output_rate import OutputRate, build_output_rate
from .row_output import Matches, Output, key_text, output_schema, row_schema, selected_bindings

__all__ = [
    "DistinctRows",
    "Matches",
    "Output",
    "OutputRate",
    "build_output_rate",
    "key_text",
    "output_schema",
    "row_schema",
    "selected_bindings",
]
