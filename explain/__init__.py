"""Answers about answers: why an event is a candidate, and how registered queries are answered."""

from __future__ import annotations

from .explain_registered import explain_registrations
from .why import EventOrId, Explanation, explain_event
from .why_printing import explanation_dict, explanation_tree

__all__ = ["EventOrId", "Explanation", "explain_event", "explain_registrations", "explanation_dict", "explanation_tree"]
