"""The compile-time rules: a plan in, a better plan out; one rule a file."""

from __future__ import annotations

from .compile import RULES, compile_subquery, context_of
from .dependencies import asked
from .residual_query import settle, visibility

__all__ = ["RULES", "asked", "compile_subquery", "context_of", "settle", "visibility"]
