"""Answers about answers: how queries are answered, and why an event is a candidate or is none."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .candidacy import Explanation
    from .event_explanation import EventOrId, explain_event
    from .mapping import MappingReport, distinguishing_class, report_mapping
    from .plans import PlanNode, explain_asked, explain_query, explain_registrations, explain_runtime, runtimes_of
    from .printing import (
        Diagram,
        DiagramFormat,
        automaton_diagram_of,
        explanation_dict,
        explanation_tree,
        filter_graph_of,
        joined_diagrams,
        mapping_dict,
        mapping_lines,
        plan_diagram_of,
        plan_text,
        reason_diagram_of,
        row_dict,
        row_lines,
        transition_network_of,
        write_diagram,
    )
    from .rows import RowExplanation, explain_row

_LATER = {
    "Diagram": ".printing",
    "DiagramFormat": ".printing",
    "EventOrId": ".event_explanation",
    "Explanation": ".candidacy",
    "MappingReport": ".mapping",
    "PlanNode": ".plans",
    "RowExplanation": ".rows",
    "automaton_diagram_of": ".printing",
    "distinguishing_class": ".mapping",
    "explain_asked": ".plans",
    "explain_event": ".event_explanation",
    "explain_query": ".plans",
    "explain_registrations": ".plans",
    "explain_row": ".rows",
    "explain_runtime": ".plans",
    "explanation_dict": ".printing",
    "explanation_tree": ".printing",
    "filter_graph_of": ".printing",
    "joined_diagrams": ".printing",
    "mapping_dict": ".printing",
    "mapping_lines": ".printing",
    "plan_diagram_of": ".printing",
    "plan_text": ".printing",
    "reason_diagram_of": ".printing",
    "report_mapping": ".mapping",
    "row_dict": ".printing",
    "row_lines": ".printing",
    "runtimes_of": ".plans",
    "transition_network_of": ".printing",
    "write_diagram": ".printing",
}

__all__ = [
    "Diagram",
    "DiagramFormat",
    "EventOrId",
    "Explanation",
    "MappingReport",
    "PlanNode",
    "RowExplanation",
    "automaton_diagram_of",
    "distinguishing_class",
    "explain_asked",
    "explain_event",
    "explain_query",
    "explain_registrations",
    "explain_row",
    "explain_runtime",
    "explanation_dict",
    "explanation_tree",
    "filter_graph_of",
    "joined_diagrams",
    "mapping_dict",
    "mapping_lines",
    "plan_diagram_of",
    "plan_text",
    "reason_diagram_of",
    "report_mapping",
    "row_dict",
    "row_lines",
    "runtimes_of",
    "transition_network_of",
    "write_diagram",
]


def __getattr__(name: str) -> object:
    """Each kind of explanation on first use: a command asks for one of them."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
