"""LANGUAGE §1 and §3 as the plainest Python: lists in, rows out, no thought for speed, no code of the engine.

Only the parser and checker (`kaicep.language`) is shared: its nodes say what a query is, and the oracle what it means.
"""

from __future__ import annotations

from .evaluate import evaluate

__all__ = ["evaluate"]
