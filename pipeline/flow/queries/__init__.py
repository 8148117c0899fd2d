"""The registered queries as they run: what each is given, who reads whom; each is stopped by nothing but itself."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .candidates import (
        Asked,
        CandidateSelection,
        EventBatch,
        JointSelection,
        Selected,
        Taken,
        next_wider,
        shared_batch,
    )
    from .context_runtime import ContextRuntime
    from .intake import EventSplits, HeldEvents
    from .kindred_queries import CommonCall, bounds_of, kin_of
    from .parked_queries import ParkedQueries, ParkedQuery, failure_of, parked_notes, parking_of
    from .query_components import QueryComponent
    from .query_graph import QueryGraph
    from .query_isolation import CancelledError, QueryIsolation
    from .query_runtime import QueryRuntime
    from .registration import Registration, Withdrawal, continues, state_head
    from .withdrawn_queries import WithdrawnQueries

_LATER = {
    "Asked": ".candidates",
    "CandidateSelection": ".candidates",
    "CancelledError": ".query_isolation",
    "CommonCall": ".kindred_queries",
    "ContextRuntime": ".context_runtime",
    "EventBatch": ".candidates",
    "JointSelection": ".candidates",
    "Selected": ".candidates",
    "Taken": ".candidates",
    "shared_batch": ".candidates",
    "next_wider": ".candidates",
    "EventSplits": ".intake",
    "HeldEvents": ".intake",
    "ParkedQueries": ".parked_queries",
    "ParkedQuery": ".parked_queries",
    "QueryComponent": ".query_components",
    "QueryGraph": ".query_graph",
    "QueryIsolation": ".query_isolation",
    "QueryRuntime": ".query_runtime",
    "Registration": ".registration",
    "Withdrawal": ".registration",
    "WithdrawnQueries": ".withdrawn_queries",
    "continues": ".registration",
    "state_head": ".registration",
    "bounds_of": ".kindred_queries",
    "kin_of": ".kindred_queries",
    "failure_of": ".parked_queries",
    "parked_notes": ".parked_queries",
    "parking_of": ".parked_queries",
}

__all__ = [
    "Asked",
    "CancelledError",
    "CandidateSelection",
    "CommonCall",
    "ContextRuntime",
    "EventBatch",
    "EventSplits",
    "HeldEvents",
    "JointSelection",
    "ParkedQueries",
    "ParkedQuery",
    "QueryComponent",
    "QueryGraph",
    "QueryIsolation",
    "QueryRuntime",
    "Registration",
    "Selected",
    "Taken",
    "Withdrawal",
    "WithdrawnQueries",
    "bounds_of",
    "continues",
    "failure_of",
    "kin_of",
    "next_wider",
    "parked_notes",
    "parking_of",
    "shared_batch",
    "state_head",
]


def __getattr__(name: str) -> object:
    """What answers queries, on first use: who names one only needs no operator."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
