"""Checked expressions in; what they mean on columns out."""

from __future__ import annotations

from .columns import POLARS_TYPES, Names, column_expression, plain_name
from .frames import (
    Bools,
    Ints,
    all_of,
    column_of,
    frame_of,
    mask_by,
    mask_of,
    micros,
    moment_of,
    pieces_of,
    timestamps,
    unsigned_zero,
    value_codes,
)
from .lexical import lexical_form
from .range_aggregates import aggregate_ranges
from .scalar import Leaf, ScalarSource
from .scalar_operators import NOTHING
from .single_event import of_single_events
from .sparql import RefusedError, sparql_text

__all__ = [
    "NOTHING",
    "POLARS_TYPES",
    "Bools",
    "Ints",
    "Leaf",
    "Names",
    "RefusedError",
    "ScalarSource",
    "aggregate_ranges",
    "all_of",
    "column_expression",
    "column_of",
    "frame_of",
    "lexical_form",
    "mask_by",
    "mask_of",
    "micros",
    "moment_of",
    "of_single_events",
    "pieces_of",
    "plain_name",
    "sparql_text",
    "timestamps",
    "unsigned_zero",
    "value_codes",
]
