"""What a data flow has counted and the knowledge go in; what does not fit, and why rows are missing, comes out."""

from __future__ import annotations

from .empty_answer import explain_empty_answer
from .id_mapping import IdMapping
from .mapping_report import MappingReport, PathReport, QueryReport, StreamReport, VariableReport, report_mapping
from .unit_mapping import UnitMapping
from .unknown_ids import UnknownId, distinguishing_class

__all__ = [
    "IdMapping",
    "MappingReport",
    "PathReport",
    "QueryReport",
    "StreamReport",
    "UnitMapping",
    "UnknownId",
    "VariableReport",
    "distinguishing_class",
    "explain_empty_answer",
    "report_mapping",
]
