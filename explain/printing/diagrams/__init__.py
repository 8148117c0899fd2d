"""Plans, automata and reasons in; Mermaid, DOT and SVG out."""

from __future__ import annotations

from .automaton_diagram import automaton_diagram_of
from .diagram import Diagram, joined_diagrams
from .diagram_writer import DiagramFormat, write_diagram
from .filter_graph import filter_graph_of
from .plan_diagram import plan_diagram_of
from .reason_diagram import reason_diagram_of
from .transition_network import transition_network_of

__all__ = [
    "Diagram",
    "DiagramFormat",
    "automaton_diagram_of",
    "filter_graph_of",
    "joined_diagrams",
    "plan_diagram_of",
    "reason_diagram_of",
    "transition_network_of",
    "write_diagram",
]
