"""A row and what was changed before it go in; the windows of contexts that it lies in, and who opened them, come out."""

from __future__ import annotations

from .answered_past import explain_row
from .row_contexts import DerivingRow, LyingWindow, Opener, OpenerKind, RowExplanation
from .row_explainer import RowExplainer

__all__ = [
    "DerivingRow",
    "LyingWindow",
    "Opener",
    "OpenerKind",
    "RowExplainer",
    "RowExplanation",
    "explain_row",
]
