"""A data flow at a moment, and a query that is asked of its states, go in; the answer comes out; no Spark."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .asked_query import compile_asked
    from .asking_process import AskingProcess
    from .on_demand_answer import answer_asked
    from .state_cut import StateCut, state_cut_at, watched_registrations
    from .stopped_states import ask_stopped

_LATER = {
    "AskingProcess": ".asking_process",
    "StateCut": ".state_cut",
    "answer_asked": ".on_demand_answer",
    "ask_stopped": ".stopped_states",
    "compile_asked": ".asked_query",
    "state_cut_at": ".state_cut",
    "watched_registrations": ".state_cut",
}

__all__ = [
    "AskingProcess",
    "StateCut",
    "answer_asked",
    "ask_stopped",
    "compile_asked",
    "state_cut_at",
    "watched_registrations",
]


def __getattr__(name: str) -> object:
    """What answers, on first use: recorded streams are asked without a log."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
