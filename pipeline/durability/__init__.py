"""What a batch makes durable, so that it can be done again: snapshots, positions, spool, versions."""

from __future__ import annotations

from .checkpoint import has_begun
from .checkpoint_generation import Generation, begun_batch, current_generation, planned_at
from .checkpointed_flow import CheckpointedFlow
from .dead_letters import DeadLetters
from .progress import Progress
from .unread_files import is_all_read

__all__ = [
    "CheckpointedFlow",
    "DeadLetters",
    "Generation",
    "Progress",
    "begun_batch",
    "current_generation",
    "has_begun",
    "is_all_read",
    "planned_at",
]
