"""Candidates of a pattern's variables in total order in; matches, by an automaton per partition, out."""

from __future__ import annotations

from .limits import Limits
from .nfa_operator import RunsKernel
from .stop_conditions import ending_candidates, ending_events

__all__ = ["Limits", "RunsKernel", "ending_candidates", "ending_events"]
