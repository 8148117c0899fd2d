"""The keys of a batch in; their verdicts, known or evaluated, out."""

from __future__ import annotations

from .batch_verdicts import BatchVerdicts, condition_key
from .evaluate import RDF_TYPE, ScratchStore, query_solutions, single_event_query
from .event_selection import ROW, Mask, Selection, all_of, any_of, as_frame, events_of
from .filter_options import NAIVE, FilterOptions
from .keys import Key, KeyValue
from .path_process import PathProcess
from .statistics import SubqueryStatistics
from .subquery import ColumnTest, SubqueryFilter

__all__ = [
    "NAIVE",
    "RDF_TYPE",
    "ROW",
    "BatchVerdicts",
    "ColumnTest",
    "FilterOptions",
    "Key",
    "KeyValue",
    "Mask",
    "PathProcess",
    "ScratchStore",
    "Selection",
    "SubqueryFilter",
    "SubqueryStatistics",
    "all_of",
    "any_of",
    "as_frame",
    "condition_key",
    "events_of",
    "query_solutions",
    "single_event_query",
]
