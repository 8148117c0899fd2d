"""Candidates of a pattern's variables in total order in; matches, by an automaton per partition, out."""

from __future__ import annotations

from .compiler import AutomatonTable, Edge, EdgeAction, automaton_table, stop_candidates, stop_events
from .nfa_operator import NfaOperator

__all__ = [
    "AutomatonTable",
    "Edge",
    "EdgeAction",
    "NfaOperator",
    "automaton_table",
    "stop_candidates",
    "stop_events",
]
