"""The partial matches that automata hold, those among them that only wait."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep import Project
from support.context_examples import examples

(ORDERS,) = (e for e in examples("state_examples") if e.name == "9-h2o-query4-how-many")
PROJECT = Project.parse(ORDERS.content)


@pytest.mark.parametrize(("seconds", "held"), [(10, 1), (60, 1), (100, 1), (121, 0)])
def test_a_match_that_waits_for_its_last_not_is_held(seconds: float, held: int) -> None:
    where = "FROM (?w, DS), (?n, DS) FILTER (?w.task = 'order' AND ?w.oid < 3) FILTER (?n.task = 'deliver')"
    text = f"CREATE QUERY q AS SELECT ?w.oid {where} SEQ (?w, NOT ?n FOR 1min);"
    at = ORDERS.base + timedelta(seconds=seconds - 0.000001)
    asked = "SELECT COUNT(?p) AS n FROM (?p, PARTIAL(q))"
    rows = PROJECT.evaluate(f"{text} {asked}", ORDERS.streams, ask_at=at)
    assert rows[0]["n"] == held
