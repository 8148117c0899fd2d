"""A row and what deriving queries have changed go in; the windows that it lies in, and who opened them, come out."""

from __future__ import annotations

from .answered_past import explain_row
from .deriving_rows import DerivingRows, known_rows, with_shown_keys
from .row_contexts import KnownRow, LyingWindow, Opener, OpenerKind, RowExplanation
from .row_explainer import RowExplainer

__all__ = [
    "DerivingRows",
    "KnownRow",
    "LyingWindow",
    "Opener",
    "OpenerKind",
    "RowExplainer",
    "RowExplanation",
    "explain_row",
    "known_rows",
    "with_shown_keys",
]
