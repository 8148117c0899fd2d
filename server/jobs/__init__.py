"""Long work in; how far it is, and what came of it, out; each piece of work is a process that can be ended."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .ask_endpoint import ask_routes
    from .job_endpoint import job_routes
    from .job_kind import CHART, QUESTION, JobKind
    from .job_preference import JOB_BEGUN, JOB_PREFERENCE, job_answer, prefers_job
    from .job_process import ask_apart
    from .job_queue import JobQueue
    from .logged_batch import batch_of_log, columns_of_log
    from .past_trial import TrialSpan, try_past

_LATER = {
    "CHART": ".job_kind",
    "JOB_BEGUN": ".job_preference",
    "JOB_PREFERENCE": ".job_preference",
    "JobKind": ".job_kind",
    "JobQueue": ".job_queue",
    "QUESTION": ".job_kind",
    "ask_apart": ".job_process",
    "batch_of_log": ".logged_batch",
    "columns_of_log": ".logged_batch",
    "TrialSpan": ".past_trial",
    "ask_routes": ".ask_endpoint",
    "job_answer": ".job_preference",
    "job_routes": ".job_endpoint",
    "prefers_job": ".job_preference",
    "try_past": ".past_trial",
}

__all__ = [
    "CHART",
    "JOB_BEGUN",
    "JOB_PREFERENCE",
    "QUESTION",
    "JobKind",
    "JobQueue",
    "TrialSpan",
    "ask_apart",
    "ask_routes",
    "batch_of_log",
    "columns_of_log",
    "job_answer",
    "job_routes",
    "prefers_job",
    "try_past",
]


def __getattr__(name: str) -> object:
    """What a server needs, on first use: the processes that work need none of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name], __name__), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)
