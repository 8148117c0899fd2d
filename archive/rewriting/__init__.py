"""χ-CEP in, SPARQL over the store out, or the reason why SPARQL cannot say it."""

from .candidates import CandidateQuery, ask, candidate_query, datasets
from .refusal import RefusedError

__all__ = ["CandidateQuery", "RefusedError", "ask", "candidate_query", "datasets"]
