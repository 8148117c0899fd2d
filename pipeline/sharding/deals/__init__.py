"""Candidates of many queries in; out the events that they are, each written once, and places among these."""

from __future__ import annotations

from .dealt_events import BEFORE, EVENTS_OF, OTHERS, PLACE, by_shard, dealt_parts, taken
from .event_deal import EventDeal, deals_of

__all__ = [
    "BEFORE",
    "EVENTS_OF",
    "OTHERS",
    "PLACE",
    "EventDeal",
    "by_shard",
    "deals_of",
    "dealt_parts",
    "taken",
]
