"""A query with SEQ in; tables of states and transitions, with the functions of their conditions, out."""

from __future__ import annotations

from .code_generator import CodeGenerator
from .compiled_pattern import CompiledPattern
from .join_conditions import JoinCondition, LookBack, variable_of
from .partition_keys import keys_of
from .pattern_conditions import PatternConditions, windows_of
from .prospect import Lead
from .states import FinalState, Moves, RegisterValues, State, Transition
from .stop_conditions import StopCondition, stop_candidates, stop_events
from .transition_table import AutomatonTable, Edge, EdgeAction, automaton_table

__all__ = [
    "AutomatonTable",
    "CodeGenerator",
    "CompiledPattern",
    "Edge",
    "EdgeAction",
    "FinalState",
    "JoinCondition",
    "Lead",
    "LookBack",
    "Moves",
    "PatternConditions",
    "RegisterValues",
    "State",
    "StopCondition",
    "Transition",
    "automaton_table",
    "keys_of",
    "stop_candidates",
    "stop_events",
    "variable_of",
    "windows_of",
]
