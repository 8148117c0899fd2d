"""Asked queries over states: aggregates without a window, ORDER BY."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from kaicep import Project
from support.context_examples import examples

(ORDERS,) = (e for e in examples("state_examples") if e.name == "9-h2o-query4-how-many")
PROJECT = Project.parse(ORDERS.content)
REGISTERED = ORDERS.text.rpartition(";")[0] + ";"


@pytest.mark.parametrize(
    ("asked", "seconds", "rows"),
    [
        ("SELECT ?o.oid FROM (?o, STATE(orders.?w)) ORDER BY DESC(?o.cust), ?o.oid", 200, [[60, 2], [0, 1], [180, 3]]),
        ("SELECT ?o.oid FROM (?o, STATE(orders.?w)) ORDER BY DESC(?o.oid) LIMIT 1", 200, [[180, 3]]),
        ("SELECT MAX(?p.d_oid) AS d, COUNT(?p) AS n FROM (?p, PARTIAL(orders))", 7380, [[7380, None, 0]]),
        ("SELECT SUM(?o.oid) + 1 AS s FROM (?o, STATE(orders))", 7380, [[7380, 1]]),
        ("SELECT COUNT(?o) AS n FROM (?o, STATE(orders)) HAVING COUNT(?o) > 0", 7380, []),
        ("SELECT ?o.cust, COUNT(?o) AS n FROM (?o, STATE(orders)) GROUP BY ?o.cust", 7380, []),
        ("SELECT ?o.cust, COUNT(?o) AS n FROM (?o, STATE(orders.?w)) GROUP BY ?o.cust ORDER BY DESC(COUNT(?o))", 200,
         [[200, "x", 2], [200, "y", 1]]),
        ("SELECT ?p._bound AS b, ?p._until AS u FROM (?p, PARTIAL(orders)) FILTER (?p._since > ?p._time) ", 200, []),
    ],
)  # fmt: skip
def test_an_answer(asked: str, seconds: float, rows: list[list[object]]) -> None:
    at = ORDERS.base + timedelta(seconds=seconds)
    found = list(PROJECT.evaluate(f"{REGISTERED} {asked}", ORDERS.streams, ask_at=at))
    assert ORDERS.shown(found)[0] == rows
    assert {row["_asked"] for row in found} <= {at}
    assert all(re.fullmatch("[0-9a-f]{32}", row["_id"]) for row in found)
