"""The log, and the spool of an archiver → batches for a data flow: what was missed, what was done, what states need."""

from __future__ import annotations

from .log_replay import logged_batches
from .spool_replay import SpoolReplay
from .state_replay import StateReplay, is_bounded

__all__ = ["SpoolReplay", "StateReplay", "is_bounded", "logged_batches"]
