"""Explanations go in; text, trees for the terminal, diagrams and JSON come out."""

from __future__ import annotations

from .automaton_diagram import DiagramFormat, draw_automaton
from .plan_writer import plan_text
from .reason_json import explanation_dict
from .reason_tree import explanation_tree

__all__ = ["DiagramFormat", "draw_automaton", "explanation_dict", "explanation_tree", "plan_text"]
