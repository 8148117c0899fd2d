"""How far back the state of a query reaches, by its text."""

from __future__ import annotations

from datetime import timedelta
from itertools import accumulate
from random import Random
from typing import Any

import pytest
from kaicep.cep.state_horizon import horizon_of
from support.operators import answer, at, compiled
from support.sampling import some_of

ONE = "FROM (?e, readings)"
TWO = "FROM (?a, readings), (?b, alarms)"

CLOCK = "CREATE CONTEXTS hours (closed DEFAULT, open DURING 'Mon-Fri 08:00-18:00');"
STATE = "CREATE CONTEXTS mood (calm DEFAULT, open DURING '08:00-18:00', busy);"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (f"{CLOCK} SELECT ?a.x AS x {TWO} IN CONTEXT open JOIN (?a.n = ?b.n) WINDOW (?a, ?b, 7s)", 7),
        (f"{CLOCK} SELECT COUNT(?e) AS n {ONE} IN CONTEXT closed WINDOW (?e, hopping, 8s, 2s)", 8),
        (f"{CLOCK} SELECT COUNT(?e) AS n {ONE} IN CONTEXT open WINDOW (?e, CONTEXT)", None),
        (f"{STATE} SELECT ?e.x AS x {ONE} IN CONTEXT open", None),
        (f"{STATE} INITIATE CONTEXT busy {ONE} FILTER (?e.x > 5)", None),
        (f"SELECT ?e.x AS x {ONE}", 0),
        (f"SELECT ?e.x AS x {ONE} OUTPUT LAST EVERY 10s", 10),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, sliding, 5s)", 5),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, batch, 5s) OUTPUT ALL EVERY 1min", 65),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, batch, 5s, START 2012-05-07T00:00:00Z)", 5),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, hopping, 8s, 2s)", 8),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, cumulate, 8s, 2s)", 8),
        (f"SELECT ?a.x AS x {TWO} JOIN (?a.n = ?b.n) WINDOW (?a, ?b, 7s)", 7),
        (f"SELECT ?a.x AS x {TWO} SEQ (?a, ?b+) WINDOW (?a, ?b, 7s)", 7),
        ("SELECT ?a.x AS x FROM (?a, readings), (?n, alarms) SEQ (?a, NOT ?n FOR 20s)", 20),
        (f"SELECT ?a.x AS x {TWO} SEQ (?a => ?b) WINDOW (?a, ?b, 7s)", 7),
        ("SELECT ?a.x AS x FROM (?a, readings) SEQ (?a, AFTER 20s)", 20),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, CHECK (?e._time - FIRST(?e._time) < 5s))", 5.000001),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, CHECK (FIRST(?e.n) = ?e.n), 8s)", 8),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, CHECK (?e.n = FIRST(?e.n) AND COUNT(?e) <= 9), 8s, SHARED)", 8),
        (
            f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, CHECK (?e.x > 5 AND ?e._time - FIRST(?e._time) < 5s), 8s)",
            5.000001,
        ),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, CHECK (COUNT(?e) <= 9))", None),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, CHECK (COUNT(?e) = 1), 8s)", None),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, CHECK (SUM(?e.x) <= 9), 8s)", None),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, CHECK (FIRST(?e.x) <= ?e.x), 8s)", None),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, CHECK (FIRST(?e.n) = ?e.n OR COUNT(?e) < 3), 8s)", None),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, CHECK (FIRST(?e.n) = ?e.n), 8 EVENTS)", None),
        (f"SELECT ADIFF(?e.x) AS d {ONE} WINDOW (?e, sliding, 5s)", 5),
        (f"SELECT ADIFF(AVG(?e.x)) AS d {ONE} WINDOW (?e, sliding, 5s)", None),
        (f"SELECT ADIFF(?e.x) AS d {ONE}", None),
        (f"SELECT ?a.x AS x {TWO} SEQ (?a, AFTER 2s, ?b) WINDOW (?a, ?b, 7s)", 9),
        ("SELECT ?a.x AS x FROM (?a, readings), (?b, alarms) SEQ (?a, EVERY 2s UNTIL ?b) WINDOW (?a, ?b, 7s)", 9),
        ("SELECT ?a.x AS x FROM (?a, readings), (?b, alarms) SEQ (?a, EVERY 2s UNTIL ?b)", None),
        (f"SELECT DISTINCT ?e.x AS x {ONE}", None),
        (f"SELECT ?e.x AS x {ONE} LIMIT 5", None),
        (f"SELECT ?e.x AS x {ONE} OUTPUT LAST EVERY 10 MATCHES", None),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, sliding, 5 EVENTS)", None),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, batch, 5s, START first)", None),
        (f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, session, 5s)", None),
        (f"SELECT ?a.x AS x {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 7s) AFTER MATCH SKIP PAST LAST EVENT", None),
        ("SELECT ?a.x AS x FROM (?a, readings), (?n, alarms) SEQ (?a => NOT ?n)", None),
    ],
)
def test_the_horizon_of(text: str, seconds: float | None) -> None:
    assert horizon_of(compiled(text)) == (None if seconds is None else timedelta(seconds=seconds))


PARTS = (
    *("COUNT(?e) <= 3", "4 > COUNT(?e)", "FIRST(?e.n) = ?e.n", "?e.x = FIRST(?e.x)", "?e.x != 2", "SUM(?e.x) <= 4"),
    *("AVG(?e.x) > 1", "FIRST(?e.x) <= ?e.x", "?e._time - FIRST(?e._time) <= 3s", "FIRST(?e._time) > ?e._time - 4s"),
)


@pytest.mark.parametrize("seed", some_of(range(0, 400, 50), 2))
def test_windows_by_condition_go_on_from_what_the_horizon_holds(seed: int) -> None:
    """Whoever has seen what lies within the horizon before a moment reports what one does that has seen all."""
    for rng in map(Random, range(seed, seed + 50)):
        condition = rng.choice((" AND ", " OR ")).join(rng.choices(PARTS, k=rng.randint(1, 2)))
        window = f"WINDOW (?e, CHECK ({condition}), {rng.choice((5, 8))}s{rng.choice(('', ', SHARED'))})"
        query = compiled(f"SELECT COUNT(?e) AS n, LIST(?e.x) AS l {ONE} {window} GROUP BY ?e.ok")
        horizon = horizon_of(query)
        if horizon is None:
            continue
        times = list(accumulate(rng.choice((0, 1, 1)) for _ in range(30)))
        readings: list[dict[str, Any]] = [
            {"t": t, "id": f"e{i:02}", "n": rng.choice((0, 1, 1)), "x": rng.choice((0, 1, 2, 3, 3)), "ok": i % 5 > 0}
            for i, t in enumerate(times)
        ]
        for moment in rng.choices(times, k=3):
            kept = [r for r in readings if r["t"] >= moment - horizon.total_seconds()]
            every, later = ([r for r in answer(query, some) if r["_time"] >= at(moment)] for some in (readings, kept))
            assert every == later, condition
