"""Checked expressions in; what they mean out: on columns, on single values, over many rows, in SPARQL."""

from __future__ import annotations

from . import terms
from .aggregates import (
    AGGREGATES,
    Accumulator,
    accumulator_of,
    aggregate_ranges,
    aggregated_values,
    gives_several,
    of_single_events,
    takes_numbers,
)
from .column_types import POLARS_TYPES
from .columns import Names, column_expression, plain_name
from .frames import (
    FIRST_MOMENT,
    LAST_MOMENT,
    Bools,
    Floats,
    Ints,
    all_of,
    column_of,
    doubles_of,
    frame_of,
    in_calendar,
    mask_by,
    mask_of,
    micros,
    moment_of,
    pieces_of,
    timestamps,
    unsigned_zero,
    value_codes,
)
from .functions import FUNCTIONS, forgives_unbound
from .operators import OPERATORS
from .refusal import RefusedError
from .scalar import Leaf, ScalarSource
from .scalar_operators import NOTHING
from .signatures import SIGNATURES
from .sparql_expressions import sparql_text
from .threshold import Threshold, threshold_of
from .threshold_chain import ThresholdChain
from .wide_integers import LengthyError, companion, group_value, lists_wide, settled

__all__ = [
    "AGGREGATES",
    "FIRST_MOMENT",
    "FUNCTIONS",
    "LAST_MOMENT",
    "NOTHING",
    "OPERATORS",
    "POLARS_TYPES",
    "SIGNATURES",
    "Accumulator",
    "Bools",
    "Floats",
    "Ints",
    "Leaf",
    "LengthyError",
    "Names",
    "RefusedError",
    "ScalarSource",
    "Threshold",
    "ThresholdChain",
    "accumulator_of",
    "aggregate_ranges",
    "aggregated_values",
    "all_of",
    "column_expression",
    "column_of",
    "companion",
    "doubles_of",
    "forgives_unbound",
    "frame_of",
    "gives_several",
    "group_value",
    "in_calendar",
    "lists_wide",
    "mask_by",
    "mask_of",
    "micros",
    "moment_of",
    "of_single_events",
    "pieces_of",
    "plain_name",
    "settled",
    "sparql_text",
    "takes_numbers",
    "terms",
    "threshold_of",
    "timestamps",
    "unsigned_zero",
    "value_codes",
]
