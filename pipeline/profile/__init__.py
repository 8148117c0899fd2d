"""Events and candidates in, as they pass; how many there were, of what, and where they vanished, out."""

from __future__ import annotations

from .query_profile import ClauseCount, ClauseKind, FlowProfile, PathProfile, QueryProfile, VariableProfile
from .stream_profile import AttributeProfile, StreamProfile, StreamProfiler

__all__ = [
    "AttributeProfile",
    "ClauseCount",
    "ClauseKind",
    "FlowProfile",
    "PathProfile",
    "QueryProfile",
    "StreamProfile",
    "StreamProfiler",
    "VariableProfile",
]
