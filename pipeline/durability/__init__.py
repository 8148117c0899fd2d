"""What a batch makes durable, so that it can be done again: snapshots, positions, spool, versions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .progress import Progress

if TYPE_CHECKING:
    from .border import forget_parking, park_at_start, parked_already, parked_at_start, parked_at_stop, resume_at_start
    from .checkpoint import has_begun
    from .checkpointed_flow import CheckpointedFlow
    from .dead_letters import DeadLetters
    from .flow_state import HOSTING, RestoredState
    from .generations import Generation, current_generation, is_all_read, planned_at
    from .intake import BatchHosting, BatchIntake, DriverHosting, RowWriter
    from .journal import BatchFiles, BatchJournal
    from .replay import StateReplay
    from .stopped_flow import StoppedFlow, flow_at_stop

_LATER = {
    "HOSTING": ".flow_state",
    "BatchHosting": ".intake",
    "BatchIntake": ".intake",
    "DriverHosting": ".intake",
    "RestoredState": ".flow_state",
    "RowWriter": ".intake",
    "BatchFiles": ".journal",
    "BatchJournal": ".journal",
    "CheckpointedFlow": ".checkpointed_flow",
    "DeadLetters": ".dead_letters",
    "Generation": ".generations",
    "StateReplay": ".replay",
    "StoppedFlow": ".stopped_flow",
    "current_generation": ".generations",
    "forget_parking": ".border",
    "has_begun": ".checkpoint",
    "is_all_read": ".generations",
    "park_at_start": ".border",
    "parked_already": ".border",
    "parked_at_start": ".border",
    "parked_at_stop": ".border",
    "planned_at": ".generations",
    "resume_at_start": ".border",
    "flow_at_stop": ".stopped_flow",
}

__all__ = [
    "HOSTING",
    "BatchFiles",
    "BatchHosting",
    "BatchIntake",
    "BatchJournal",
    "CheckpointedFlow",
    "DeadLetters",
    "DriverHosting",
    "Generation",
    "Progress",
    "RestoredState",
    "RowWriter",
    "StateReplay",
    "StoppedFlow",
    "current_generation",
    "flow_at_stop",
    "forget_parking",
    "has_begun",
    "is_all_read",
    "park_at_start",
    "parked_already",
    "parked_at_start",
    "parked_at_stop",
    "planned_at",
    "resume_at_start",
]


def __getattr__(name: str) -> object:
    """What writes, on first use: a trial counts its progress, and makes nothing durable."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
