"""What a query that is asked once says goes in; the streams that states are for it, or its refusal, come out."""

from __future__ import annotations

from .on_demand import asks_of_states, check_on_demand, known_state, order_items, references_of, state_streams
from .unregistered import CoveredState, covered_states

__all__ = [
    "CoveredState",
    "asks_of_states",
    "check_on_demand",
    "covered_states",
    "known_state",
    "order_items",
    "references_of",
    "state_streams",
]
