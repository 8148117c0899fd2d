"""Why a part of a query has no SPARQL that means the same."""

from __future__ import annotations


class RefusedError(Exception):
    """Unwinds a rewriting; its text is the reason, a clause such as `SPARQL has no operator %`."""
