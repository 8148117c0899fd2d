"""The keys of a batch in; their verdicts, known or evaluated, out."""

from __future__ import annotations

from .batch_verdicts import BatchVerdicts, Standing, condition_key
from .evaluate import RDF_TYPE, ScratchStore, query_solutions, single_event_query
from .event_selection import ROW, Mask, Selection, all_of, any_of, as_frame, events_of
from .filter_options import NAIVE, FilterOptions
from .individual_classes import IndividualClasses
from .keys import Key, KeyValue
from .materialised_verdicts import MaterialisedVerdicts
from .path_process import PathProcess
from .statistics import SubqueryStatistics
from .subquery import COUNTS, ColumnTest, SubqueryFilter

__all__ = [
    "COUNTS",
    "NAIVE",
    "RDF_TYPE",
    "ROW",
    "BatchVerdicts",
    "ColumnTest",
    "FilterOptions",
    "IndividualClasses",
    "Key",
    "KeyValue",
    "Mask",
    "MaterialisedVerdicts",
    "PathProcess",
    "ScratchStore",
    "Selection",
    "Standing",
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
