"""In go the changes that deriving queries make, out come the windows of contexts and the events that lie in them."""

from __future__ import annotations

from .context_changes import Change, HeldWindow, Turn
from .context_history import ContextHistory
from .event_router import EventRouter, KnownGaps, KnownRanges, Routed, SetWindows
from .partition_key import PartitionKeys

__all__ = [
    "Change",
    "ContextHistory",
    "EventRouter",
    "HeldWindow",
    "KnownGaps",
    "KnownRanges",
    "PartitionKeys",
    "Routed",
    "SetWindows",
    "Turn",
]
