"""The keys of a batch in; their verdicts, known or evaluated, out."""

from __future__ import annotations

from .evaluate import RDF_TYPE, Scratch, alone_query, solutions_of
from .keys import Key, Value
from .options import NAIVE, FilterOptions
from .selection import ROW, Selection, all_of, any_of, as_frame
from .statistics import SubqueryStatistics
from .subquery import SubqueryFilter

__all__ = [
    "NAIVE",
    "RDF_TYPE",
    "ROW",
    "FilterOptions",
    "Key",
    "Scratch",
    "Selection",
    "SubqueryFilter",
    "SubqueryStatistics",
    "Value",
    "all_of",
    "alone_query",
    "any_of",
    "as_frame",
    "solutions_of",
]
