"""Answers about answers: how queries are answered, and why an event is a candidate or is none."""

from __future__ import annotations

from .candidacy import Explanation
from .event_explanation import EventOrId, explain_event
from .mapping import MappingReport, report_mapping
from .plans import PlanNode, explain_query, explain_registrations, explain_runtime
from .printing import (
    Diagram,
    DiagramFormat,
    automaton_diagram_of,
    explanation_dict,
    explanation_tree,
    joined_diagrams,
    mapping_dict,
    mapping_lines,
    plan_diagram_of,
    plan_text,
    reason_diagram_of,
    write_diagram,
)

__all__ = [
    "Diagram",
    "DiagramFormat",
    "EventOrId",
    "Explanation",
    "MappingReport",
    "PlanNode",
    "automaton_diagram_of",
    "explain_event",
    "explain_query",
    "explain_registrations",
    "explain_runtime",
    "explanation_dict",
    "explanation_tree",
    "joined_diagrams",
    "mapping_dict",
    "mapping_lines",
    "plan_diagram_of",
    "plan_text",
    "reason_diagram_of",
    "report_mapping",
    "write_diagram",
]
