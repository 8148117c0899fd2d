"""Partial and complete matches as columns in; those that NOT, free variables and AFTER MATCH leave out."""

from __future__ import annotations

from .after_match_skip import AfterMatchSkip, Partition
from .awaited_matches import AwaitedMatches
from .candidate_buffer import CandidateBuffer
from .common_steps import BEGINNING, CommonSteps
from .consumption_mode import ConsumptionMode, Occurrences
from .event_counts import EventCounts, NewEvents, largest_partition
from .free_variable_join import Age, FreeVariableJoin, join_free_variables, rows_between
from .index_probe import (
    NONE,
    BoundRows,
    CandidateRanges,
    IndexProbe,
    JoinKey,
    JoinPredicate,
    Test,
    combined_codes,
    encode_keys,
    expand,
    holding,
    passing,
    ranges_by_key,
)
from .match_contexts import GroupedWindows, MatchContexts, windows_of_matches
from .match_reporter import MatchReporter
from .negation import NegationConstraint, Refutation
from .own_bounds import OwnBounds
from .pending_negation import NOTHING_AWAITED, NextEvents, PendingNegation
from .recurrence import Recurrence

__all__ = [
    "BEGINNING",
    "NONE",
    "NOTHING_AWAITED",
    "AfterMatchSkip",
    "Age",
    "AwaitedMatches",
    "BoundRows",
    "CandidateBuffer",
    "CandidateRanges",
    "CommonSteps",
    "ConsumptionMode",
    "EventCounts",
    "FreeVariableJoin",
    "GroupedWindows",
    "IndexProbe",
    "JoinKey",
    "JoinPredicate",
    "MatchContexts",
    "MatchReporter",
    "NegationConstraint",
    "NewEvents",
    "NextEvents",
    "Occurrences",
    "OwnBounds",
    "Partition",
    "PendingNegation",
    "Recurrence",
    "Refutation",
    "Test",
    "combined_codes",
    "encode_keys",
    "expand",
    "holding",
    "join_free_variables",
    "largest_partition",
    "passing",
    "ranges_by_key",
    "rows_between",
    "windows_of_matches",
]
