"""What a window by condition holds of an event, as far as the event alone says it."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from ...expressions import frame_of, of_single_events, plain_name
from ...language.nodes import Aggregate, CheckWindow, Expression, columns_of, with_operands
from .filter_reason import FilterWording, explain_condition
from .reason import Reason, ReasonKind

__all__ = ["explain_window"]

_ALONE = "alone it makes the condition true: its window is never empty"
_NEVER_ALONE = "alone it makes the condition false: its window is empty unless events before it make it true"


def explain_window(window: CheckWindow, events: pa.Table, wording: FilterWording) -> Reason:
    """Why the window of an event has a row whatever was before it, or depends on that; the event stays a candidate.

    Args:
        window: over the variable whose candidate the event is.
        events: the event, once per solution of its PATHs.
        wording: how the parts of its condition are written.
    """
    condition = _alone(window.condition)
    names = sorted({plain_name(node) for node in columns_of(condition)})
    found = explain_condition(condition, frame_of(events, names or events.column_names[:1])[0], wording)
    text = wording.quote(window.span)
    return Reason(
        ReasonKind.CLAUSE, text, holds=True, parts=found.parts or (found,), note=_ALONE if found.holds else _NEVER_ALONE
    )


def _alone(e: Expression) -> Expression:
    """A condition with its aggregates replaced by what they are of one event, and called as they are written."""
    return replace(of_single_events(e), span=e.span) if isinstance(e, Aggregate) else with_operands(e, _alone)
