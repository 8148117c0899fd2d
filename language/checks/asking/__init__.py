"""What a query that is asked once says goes in; the streams that states are for it, or its refusal, come out."""

from __future__ import annotations

from .on_demand import check_on_demand, known_state, order_items, references_of, state_streams

__all__ = ["check_on_demand", "known_state", "order_items", "references_of", "state_streams"]
