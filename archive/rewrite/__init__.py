"""χ-CEP in, SPARQL over the store out, or the reason why SPARQL cannot say it."""

from __future__ import annotations

from ...expressions import RefusedError
from .candidate_query import CandidateQuery, datasets, find_candidates, rewrite_candidates
from .event_retrieval import stored_events
from .match_query import MatchQuery, rewrite_exact_candidates, rewrite_matches
from .window_query import WindowQuery, rewrite_windows

__all__ = [
    "CandidateQuery",
    "MatchQuery",
    "RefusedError",
    "WindowQuery",
    "datasets",
    "find_candidates",
    "rewrite_candidates",
    "rewrite_exact_candidates",
    "rewrite_matches",
    "rewrite_windows",
    "stored_events",
]
