"""Explanations go in; text, trees for the terminal and JSON come out."""

from __future__ import annotations

from .automaton_diagram import DiagramFormat, automaton_diagram
from .plan_text import plan_text
from .reason_json import explanation_dict
from .reason_tree import explanation_tree

__all__ = ["DiagramFormat", "automaton_diagram", "explanation_dict", "explanation_tree", "plan_text"]
