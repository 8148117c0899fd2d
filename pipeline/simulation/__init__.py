"""Recorded events in; rows, as an engine would give them, out; no Spark."""

from __future__ import annotations

from .asked_recording import ask_recorded
from .evaluation import evaluate, registrations_of
from .outage_simulation import Outage
from .registration_simulation import Gap

__all__ = ["Gap", "Outage", "ask_recorded", "evaluate", "registrations_of"]
