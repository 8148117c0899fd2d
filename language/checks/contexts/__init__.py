"""What a text says of contexts goes in; checked sets, places of events and changes come out, or what is wrong.

`declarations` and `calendar_text` make sets, `context_normal_form` writes them as text again, `declared_contexts` keeps
what deriving queries say of them. Of a query,
`context_references` finds what it names, `placements` where its events belong, `changes` and `changed_partitions` what
it does to which partition, `decision_times` when its rows are decided, and `row_causes` by what.
"""

from __future__ import annotations

from .changed_partitions import carriers
from .changes import with_change
from .context_normal_form import context_set_text
from .context_references import find_context, find_set
from .decision_times import check_decided, late_decision
from .declarations import KeyTypes, changes_stream, resolve_contexts, said_types
from .declared_contexts import idle_contexts, known_contexts, told
from .placements import resolve_in_context, window_variables_of
from .row_causes import with_causes

__all__ = [
    "KeyTypes",
    "carriers",
    "changes_stream",
    "check_decided",
    "context_set_text",
    "find_context",
    "find_set",
    "idle_contexts",
    "known_contexts",
    "late_decision",
    "resolve_contexts",
    "resolve_in_context",
    "said_types",
    "told",
    "window_variables_of",
    "with_causes",
    "with_change",
]
