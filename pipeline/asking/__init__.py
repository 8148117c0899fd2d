"""A data flow at a moment, and a query that is asked of its states, go in; the answer comes out; no Spark."""

from __future__ import annotations

from .on_demand_answer import answer_asked
from .state_cut import StateCut, watched_registrations

__all__ = ["StateCut", "answer_asked", "watched_registrations"]
