"""CSV in every dialect: lines in, columns of strings out; what a file's settings do not say its first lines show."""

from __future__ import annotations

from .csv_dialect import SEPARATORS, CsvDialect, sniff_separator, split_line
from .csv_source import CsvSource, parse_csv_lines, with_header
from .decimal_commas import decimal_points, has_decimal_commas, with_decimal_points

__all__ = [
    "SEPARATORS",
    "CsvDialect",
    "CsvSource",
    "decimal_points",
    "has_decimal_commas",
    "parse_csv_lines",
    "sniff_separator",
    "split_line",
    "with_decimal_points",
    "with_header",
]
