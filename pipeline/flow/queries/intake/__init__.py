"""A batch's events in; out, those that a query takes: it may look at a share, have them already, or wait with them."""

from __future__ import annotations

from .event_intake import EventIntake
from .held_events import EventSplits, HeldEvents

__all__ = ["EventIntake", "EventSplits", "HeldEvents"]
