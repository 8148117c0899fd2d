"""In go the candidates of a pattern's variables in total order, out come its matches, by an automaton per partition."""

from __future__ import annotations

from .kernel import RunsKernel
from .limits import Limits
from .untils import ending_candidates, ending_events

__all__ = ["Limits", "RunsKernel", "ending_candidates", "ending_events"]
