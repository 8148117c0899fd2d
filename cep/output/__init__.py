"""Matches in; the rows that a query reports out, in output order."""

from __future__ import annotations

from .digest import Seeds, hex_digests, seeds_of
from .distinct import DistinctRows
from .external_matches import adopted_matches
from .match_projection import MatchProjection, match_name
from .match_table import UNBOUND, MatchTable, gathered
from .output_rate import OutputRate, build_output_rate
from .row_counts import ConditionCount, QueryCounts, RowCounts
from .row_output import (
    ARROW_TYPES,
    MatchFrame,
    RowOutput,
    instant_text,
    key_text,
    output_schema,
    reported_schema,
    row_schema,
    selected_bindings,
)
from .row_pieces import ROWS_AT_ONCE, in_pieces
from .row_report import RowReport

__all__ = [
    "ARROW_TYPES",
    "ROWS_AT_ONCE",
    "UNBOUND",
    "ConditionCount",
    "DistinctRows",
    "MatchFrame",
    "MatchProjection",
    "MatchTable",
    "OutputRate",
    "QueryCounts",
    "RowCounts",
    "RowOutput",
    "RowReport",
    "Seeds",
    "adopted_matches",
    "build_output_rate",
    "gathered",
    "hex_digests",
    "in_pieces",
    "instant_text",
    "key_text",
    "match_name",
    "output_schema",
    "reported_schema",
    "row_schema",
    "seeds_of",
    "selected_bindings",
]
