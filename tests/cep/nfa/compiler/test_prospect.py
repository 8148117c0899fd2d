"""What may still become of partial matches: what windows, links, NOTs and timers have decided."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep import Project
from support.context_examples import examples

(ORDERS,) = (e for e in examples("state_examples") if e.name == "9-h2o-query4-how-many")
PROJECT = Project.parse(ORDERS.content)
OF = "FILTER (?w.task = 'order') FILTER (?d.task = 'deliver') FILTER (?e.task = 'notice')"
FROM = f"FROM (?w, DS), (?d, DS), (?e, DS) {OF}"


@pytest.mark.parametrize(
    ("pattern", "seconds", "held"),
    [
        ("SEQ (?w => ?d => ?e)", 180, ["e04"]),
        ("SEQ (?w => ?d => ?e)", 130, ["e02"]),
        ("SEQ (?w => ?d => ?e)", 240, []),
        ("SEQ (?w, NOT ?d, ?e)", 100, ["e01", "e02"]),
        ("SEQ (?w, NOT ?d, ?e)", 130, []),
        ("SEQ (?w, NOT ?d, ?e) JOIN (?d.oid = ?w.oid)", 130, ["e02"]),
        ("SEQ (?w, NOT ?d, ?e) JOIN (?d.oid = ?e.oid)", 130, ["e01", "e02"]),
        ("SEQ (?w, AFTER 30s, ?d, ?e) WINDOW (?w, ?d, 40s)", 10, ["e01"]),
    ],
)
def test_what_is_decided_ends_a_partial_match(pattern: str, seconds: float, held: list[str]) -> None:
    registered = f"CREATE QUERY q AS SELECT ?w.oid {FROM} {pattern} WINDOW (?w, ?e, 2h) WINDOW (?w, ?d, ?e, 3h);"
    at = ORDERS.base + timedelta(seconds=seconds)
    if "NOT" in pattern:
        registered = registered.replace("WINDOW (?w, ?d, ?e, 3h)", "")
    rows = PROJECT.evaluate(f"{registered} SELECT ?x.id FROM (?x, STATE(q.?w))", ORDERS.streams, ask_at=at)
    assert [row["id"] for row in rows] == held
