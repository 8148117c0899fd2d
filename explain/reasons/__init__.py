"""One event and a PATH or FILTER in; the reasons why it holds, down to proofs, or what is missing, out."""

from __future__ import annotations

from .filter_reason import FilterWording, explain_filter
from .path_explainer import EventMapping, PathExplainer
from .reason import Reason, ReasonKind, failures
from .window_reason import explain_window

__all__ = [
    "EventMapping",
    "FilterWording",
    "PathExplainer",
    "Reason",
    "ReasonKind",
    "explain_filter",
    "explain_window",
    "failures",
]
