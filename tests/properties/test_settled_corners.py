"""Corners that every strategy has to see alike: live, replayed, from candidates of SPARQL, rewritten."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from kaicep import Project
from kaicep.errors import PlanError
from oracle.evaluate import Oracle
from support.cases import difference

NAN = float("nan")
SETTINGS = {
    "streams": {
        "s": {
            "event_type": "<urn:Corner>",
            "time": {"attribute": "at"},
            "identity": ["name"],
            "attributes": {
                "name": {"datatype": "xsd:string"},
                "x": {"datatype": "xsd:double"},
                "n": {"datatype": "xsd:integer"},
                "d": {"datatype": "xsd:decimal"},
            },
        }
    }
}
PROJECT, ORACLE = Project.parse(SETTINGS), Oracle(SETTINGS)
ONE, TWO = "FROM (?e, s) WITHIN (, )", "FROM (?a, s), (?b, s) WITHIN (, )"
VALUES: list[tuple[float | None, int | None, str | None]] = [
    *((NAN, 1, "0.1"), (NAN, None, "0.2"), (1.0, 2, "0.3"), (None, None, None), (-0.0, 3, "0.30"), (0.0, 1, None)),
    *((None, 2, "1e1"), (NAN, 5, "2.5")),
]
STREAM = {
    "s": [
        {"name": f"e{i}", "at": f"2012-05-04T09:30:{i:02d}Z", "x": x, "n": n, "d": d}
        for i, (x, n, d) in enumerate(VALUES)
    ]
}
HALF, ALL = datetime(2012, 5, 4, 9, 30, 4, tzinfo=UTC), datetime(2012, 5, 4, 9, 31, tzinfo=UTC)
BOUND = "WINDOW (?a, ?b, 4s)"
QUERIES = {
    "LIST of one event": f"SELECT LIST(?a.x) AS l, LIST(?b.n) AS m {TWO} SEQ (?a, ?b) {BOUND}",
    "LIST in JOIN": f"SELECT LIST(?a.n) AS l {TWO} JOIN (?a.name != ?b.name) {BOUND}",
    "LIST of repetitions": f"SELECT LIST(?b.x) AS l, LIST(?b.n) AS m {TWO} SEQ (?a, ?b{{1,2; ->>}}~) {BOUND}",
    "LIST of none": f"SELECT LIST(?b.n) AS m {TWO} SEQ (?a, ?b{{0,1; ->>}}~) {BOUND}",
    "LIST beside OR": f"SELECT LIST(?b.n) AS m {TWO} SEQ (?a OR ?b) {BOUND}",
    "LIST of windows": f"SELECT LIST(?e.n) AS l {ONE} WINDOW (?e, sliding, 2s)",
    "LIST of batches": f"SELECT LIST(?e.x) AS l, COUNT(?e) AS c {ONE} WINDOW (?e, batch, 1s)",
    "ends of windows": f"SELECT FIRST(?e.n) AS f, LAST(?e.n) AS l, FIRST(?e.n, 1) AS g, LAST(?e.n, 1) AS k {ONE} "
    "WINDOW (?e, sliding, 3s)",
    "ends of batches": f"SELECT FIRST(?e.n, 1) AS f, LAST(?e.x, 2) AS l {ONE} WINDOW (?e, batch, 4s)",
    "ends of repetitions": f"SELECT FIRST(?b.n) AS f, LAST(?b.n, 1) AS l {TWO} SEQ (?a, ?b{{1,3; ->>}}~) {BOUND}",
    "NaN is a group": f"SELECT COUNT(?e) AS c {ONE} WINDOW (?e, batch, 1h) GROUP BY ?e.x",
    "NaN is a partition": f"SELECT ?a.name AS p, ?b.name AS q {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 1h) PARTITION BY x",
    "NaN is a partition of runs": f"SELECT COUNT(?b) AS c {TWO} SEQ (?a, ?b+) WINDOW (?a, ?b, 1h) PARTITION BY x",
    "NaN is distinct once": f"SELECT DISTINCT ?e.x {ONE}",
    "NaN equals nothing": f"SELECT ?e.name {ONE} FILTER (?e.x = ?e.x)",
    "NaN is unequal": f"SELECT ?e.name {ONE} FILTER (?e.x != ?e.x)",
    "NaN joins nothing": f"SELECT ?a.name AS p, ?b.name AS q {TWO} JOIN (?a.x = ?b.x) SEQ (?a, ?b) WINDOW (?a, ?b, 1h)",
    "NaN joins no runs": f"SELECT COUNT(?b) AS c {TWO} JOIN (?a.x = ?b.x) SEQ (?a, ?b+) WINDOW (?a, ?b, 1h)",
    "decimals are doubles": f"SELECT ?e.name, ?e.d + 0.1 AS s {ONE} FILTER (?e.d = 0.3)",
    "decimals join as doubles": f"SELECT ?a.name AS p {TWO} JOIN (?a.d * 1.0 = ?b.d) SEQ (?a, ?b) WINDOW (?a, ?b, 1h)",
    "decimals add up as doubles": f"SELECT SUM(?e.d) AS s, AVG(?e.d) AS a {ONE} WINDOW (?e, sliding, 3s)",
    "BOUND of a computation": f"SELECT ?e.name {ONE} FILTER (BOUND(?e.n / (?e.n - 1)) AND NOT BOUND(?e.x + ?e.d))",
    "BOUND of PREV": f"SELECT COUNT(?b) AS c {TWO} JOIN (NOT BOUND(PREV(?b.n)) OR ?b.n > PREV(?b.n)) "
    "SEQ (?a, ?b{1,3; ->>}~) WINDOW (?a, ?b, 4s)",
    "sides of OR": f"SELECT ?a.name AS p, ?b.name AS q {TWO} SEQ (?a OR ?b) {BOUND} LIMIT 3",
}


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_live(text: str) -> None:
    found = difference(PROJECT.evaluate(text, STREAM), ORACLE.evaluate(text, STREAM))
    assert found is None, found


@pytest.mark.parametrize("strategy", ["replay", "hybrid", "rewrite", None])
@pytest.mark.parametrize("at", [HALF, pytest.param(ALL, marks=pytest.mark.long)], ids=["half", "all"])
@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_of_the_past(text: str, at: datetime, strategy: Any) -> None:
    """A strategy may say that it cannot; what it says is the same."""
    expected = ORACLE.evaluate(text, STREAM, at)
    try:
        rows = PROJECT.evaluate(text, STREAM, strategy=strategy, registered_at=at)
    except PlanError:
        assert strategy in ("hybrid", "rewrite")
        return
    found = difference(rows, expected)
    assert found is None, found


def test_list_of_no_value_is_unbound() -> None:
    for name in ("LIST of one event", "LIST of repetitions", "LIST of batches"):
        rows = PROJECT.evaluate(QUERIES[name], STREAM)
        assert any(row["l"] is None for row in rows), name
        assert all(row["l"] != [] for row in rows), name
