"""How far back the state of a query reaches, by its text."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.cep.state_horizon import horizon_of
from support.operators import compiled

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
