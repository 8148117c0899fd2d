"""Events of a partition in; partial matches, and those that a final state accepts, out."""

from __future__ import annotations

from .accepted import AcceptedMatch
from .event_encoder import EncodedEvents, EventEncoder, PartitionKey
from .partial_matches import PartialMatches
from .state_codec import NodeWriter, read_nodes, read_value, written_value
from .transition_priority import PartialMatch

__all__ = [
    "AcceptedMatch",
    "EncodedEvents",
    "EventEncoder",
    "NodeWriter",
    "PartialMatch",
    "PartialMatches",
    "PartitionKey",
    "read_nodes",
    "read_value",
    "written_value",
]
