"""What random queries are asked about their states."""

from __future__ import annotations

__all__ = ["ASKED"]

ASKED = (
    "SELECT ?x FROM (?x, STATE(q)) ORDER BY DESC(?x._time), ASC(?x._id), ?x._id",
    "SELECT COUNT(?x) AS n, MAX(?x._time) AS last FROM (?x, STATE(q))",
    "SELECT ?p._bound AS b, COUNT(?p) AS n FROM (?p, PARTIAL(q)) GROUP BY ?p._bound ORDER BY ?p._bound LIMIT 3",
    "SELECT ?x FROM (?x, STATE(q.?a)), (?y, STATE(q.?b)) SEQ (?x, ?y)",
)
"""Of a query that is called q."""
