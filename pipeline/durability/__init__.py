"""What a batch makes durable, so that it can be done again: snapshots, positions, spool, versions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .progress import Progress

if TYPE_CHECKING:
    from .checkpoint import has_begun
    from .checkpoint_generation import Generation, begun_batch, current_generation, planned_at
    from .checkpointed_flow import CheckpointedFlow
    from .dead_letters import DeadLetters
    from .query_parking import parked_at_stop, resume_at_start
    from .unread_files import is_all_read

_LATER = {
    "CheckpointedFlow": ".checkpointed_flow",
    "DeadLetters": ".dead_letters",
    "Generation": ".checkpoint_generation",
    "begun_batch": ".checkpoint_generation",
    "current_generation": ".checkpoint_generation",
    "has_begun": ".checkpoint",
    "is_all_read": ".unread_files",
    "parked_at_stop": ".query_parking",
    "planned_at": ".checkpoint_generation",
    "resume_at_start": ".query_parking",
}

__all__ = [
    "CheckpointedFlow",
    "DeadLetters",
    "Generation",
    "Progress",
    "begun_batch",
    "current_generation",
    "has_begun",
    "is_all_read",
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
