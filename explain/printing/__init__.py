"""Explanations go in; text, trees for the terminal, diagrams and JSON come out."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .diagrams import (
        Diagram,
        DiagramFormat,
        automaton_diagram_of,
        filter_graph_of,
        joined_diagrams,
        plan_diagram_of,
        reason_diagram_of,
        transition_network_of,
        write_diagram,
    )
    from .mapping_json import mapping_dict
    from .mapping_text import mapping_lines
    from .plan_writer import plan_text
    from .reason_json import explanation_dict
    from .reason_tree import explanation_tree
    from .row_wording import row_dict, row_lines

_LATER = {
    "Diagram": ".diagrams",
    "DiagramFormat": ".diagrams",
    "automaton_diagram_of": ".diagrams",
    "explanation_dict": ".reason_json",
    "explanation_tree": ".reason_tree",
    "filter_graph_of": ".diagrams",
    "joined_diagrams": ".diagrams",
    "mapping_dict": ".mapping_json",
    "mapping_lines": ".mapping_text",
    "plan_diagram_of": ".diagrams",
    "plan_text": ".plan_writer",
    "reason_diagram_of": ".diagrams",
    "row_dict": ".row_wording",
    "row_lines": ".row_wording",
    "transition_network_of": ".diagrams",
    "write_diagram": ".diagrams",
}

__all__ = [
    "Diagram",
    "DiagramFormat",
    "automaton_diagram_of",
    "explanation_dict",
    "explanation_tree",
    "filter_graph_of",
    "joined_diagrams",
    "mapping_dict",
    "mapping_lines",
    "plan_diagram_of",
    "plan_text",
    "reason_diagram_of",
    "row_dict",
    "row_lines",
    "transition_network_of",
    "write_diagram",
]


def __getattr__(name: str) -> object:
    """Each form on first use: a command prints one of them."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
