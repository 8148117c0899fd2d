"""Answers about answers: how queries are answered, and why an event is a candidate or is none."""

from __future__ import annotations

from .candidacy import Explanation
from .event_explanation import EventOrId, explain_event
from .plans import PlanNode, explain_query, explain_registrations, explain_runtime
from .printing import DiagramFormat, draw_automaton, explanation_dict, explanation_tree, plan_text

__all__ = [
    "DiagramFormat",
    "EventOrId",
    "Explanation",
    "PlanNode",
    "draw_automaton",
    "explain_event",
    "explain_query",
    "explain_registrations",
    "explain_runtime",
    "explanation_dict",
    "explanation_tree",
    "plan_text",
]
