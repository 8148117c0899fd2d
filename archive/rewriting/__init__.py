"""χ-CEP in, SPARQL over the store out, or the reason why SPARQL cannot say it."""

from .candidates import CandidateQuery, ask, candidate_query, datasets
from .matches import MatchQuery, match_query, whole_candidate_query
from .refusal import RefusedError
from .windows import WindowQuery, window_query

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
