"""Explanations go in; text, trees for the terminal, diagrams and JSON come out."""

from __future__ import annotations

from .diagrams import (
    Diagram,
    DiagramFormat,
    automaton_diagram_of,
    joined_diagrams,
    plan_diagram_of,
    reason_diagram_of,
    write_diagram,
)
from .mapping_json import mapping_dict
from .mapping_text import mapping_lines
from .plan_writer import plan_text
from .reason_json import explanation_dict
from .reason_tree import explanation_tree

__all__ = [
    "Diagram",
    "DiagramFormat",
    "automaton_diagram_of",
    "explanation_dict",
    "explanation_tree",
    "joined_diagrams",
    "mapping_dict",
    "mapping_lines",
    "plan_diagram_of",
    "plan_text",
    "reason_diagram_of",
    "write_diagram",
]
