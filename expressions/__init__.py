"""Checked expressions in; what they mean on columns out."""

from __future__ import annotations

from .columns import POLARS_TYPES, Names, column_expression, plain_name
from .exact_sum import sum_ranges
from .exact_variance import deviations
from .frames import Bools, Ints, all_of, column_of, frame_of, mask_by, mask_of, micros, moment_of, pieces_of, timestamps
from .lexical import lexical_form

__all__ = [
    "POLARS_TYPES",
    "Bools",
    "Ints",
    "Names",
    "all_of",
    "column_expression",
    "column_of",
    "deviations",
    "frame_of",
    "lexical_form",
    "mask_by",
    "mask_of",
    "micros",
    "moment_of",
    "pieces_of",
    "plain_name",
    "sum_ranges",
    "timestamps",
]
