"""A checked pattern in; the states of its automaton, and what may still come in each, out."""

from __future__ import annotations

from .completions import Completions, completions_by, completions_in, minimal_completions
from .derivatives import PatternDerivatives
from .ignore_transitions import after_ignoring
from .pattern_items import (
    BranchChoice,
    ItemSet,
    PassedNegation,
    PatternItem,
    RepetitionKey,
    StopScope,
    anchor_of,
    items_of,
)
from .pattern_scopes import PatternScopes, scopes_of
from .reachability import open_groups, reachable_variables

__all__ = [
    "BranchChoice",
    "Completions",
    "ItemSet",
    "PassedNegation",
    "PatternDerivatives",
    "PatternItem",
    "PatternScopes",
    "RepetitionKey",
    "StopScope",
    "after_ignoring",
    "anchor_of",
    "completions_by",
    "completions_in",
    "items_of",
    "minimal_completions",
    "open_groups",
    "reachable_variables",
    "scopes_of",
]
