"""χ-CEP in, SPARQL over the store out, or the reason why SPARQL cannot say it."""

from __future__ import annotations

from ...expressions import RefusedError
from .candidate_query import CandidateQuery, ask, candidate_query, datasets
from .match_query import MatchQuery, match_query, whole_candidate_query
from .window_query import WindowQuery, window_query

__all__ = [
    "CandidateQuery",
    "MatchQuery",
    "RefusedError",
    "WindowQuery",
    "ask",
    "candidate_query",
    "datasets",
    "match_query",
    "whole_candidate_query",
    "window_query",
]
