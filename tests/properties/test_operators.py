"""Operators against the oracle's brute force, over every split into batches and every stop in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaicep.cep import END_OF_TIME, build_operator
from kaicep.language.nodes import Query
from oracle.events import Event
from oracle.expressions import Candidate, Scope, holds
from oracle.rows import rows as expected_rows
from oracle.values import Iri
from support.cases import difference
from support.operators import Reading, answer, at, candidates, compiled, without_companions

PATH_A = "PATH {?a evt:hasSource ?s . ?s bd:floor ?floor ; bd:hasLocation ?room}"
PATH_E = "PATH {?e evt:hasSource ?s . ?s bd:floor ?floor ; bd:hasLocation ?room}"
TWO = "FROM (?a, readings), (?b, readings)"
THREE = "FROM (?a, readings), (?b, alarms), (?c, readings)"
FOUR = "FROM (?a, readings), (?b, readings), (?c, alarms), (?d, readings)"

PATTERNS = (
    f"SELECT ?a.n AS p, ?b.n AS q {TWO} JOIN (?a.sensor = ?b.sensor) SEQ (?a, ?b) WINDOW (?a, ?b, 3s)",
    f"SELECT ?a {TWO} FILTER (?a.x > 1) JOIN (?b.x - ?a.x > 0 AND ?a.n != 1) SEQ (?b, ?a) WINDOW (?a, ?b, 2s)",
    f"SELECT ?a {TWO} JOIN (?a.sensor = ?b.sensor OR ?a.n = ?b.n) WINDOW (?a, ?b, 2s) LIMIT 5",
    f"SELECT ?a {TWO} JOIN (?a.n = ?b.n) WINDOW (?a, sliding, 2s) WINDOW (?b, sliding, 4s)",
    f"SELECT ?a {TWO} FILTER (?a.ok) JOIN (?a.n < ?b.n) WINDOW (?a, sliding, 2 events) WINDOW (?b, sliding, 3 events)",
    f"SELECT ?a, ?room {TWO} {PATH_A} JOIN (?a.n <= ?b.n) WINDOW (?a, sliding, 3 events) WINDOW (?b, sliding, 3s)",
    f"SELECT ?floor {TWO} {PATH_A} JOIN (?floor = ?b.n) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)",
    f"SELECT ?a {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) PARTITION BY sensor, n",
    f"SELECT ?a {THREE} JOIN (?a.sensor = ?c.sensor) SEQ (?a, ?b, ?c) WINDOW (?a, ?b, 3s) WINDOW (?b, ?c, 2s)",
    f"SELECT ?a {THREE} JOIN (?a.n + ?b.n = ?c.n) JOIN (?b.x = ?c.x) WINDOW (?a, ?b, ?c, 3s)",
    f"SELECT ?a {THREE} JOIN (?a.n + ?b.n > ?c.n) SEQ (?c, ?a) WINDOW (?a, ?b, ?c, 3s)",
    f"SELECT ?a {FOUR} JOIN (?a.n = ?c.n) JOIN (?b.sensor = ?d.sensor) SEQ (?a, ?b, ?d) WINDOW (?a, ?b, ?c, ?d, 3s)",
)
COUNTED = "WINDOW (?a, sliding, 3 events) WINDOW (?b, sliding, 4 events)"
AFTERS = (
    f"SELECT ?a {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) AFTER MATCH SKIP PAST LAST EVENT",
    f"SELECT ?a {TWO} JOIN (?a.n < ?b.n) WINDOW (?a, ?b, 3s) PARTITION BY sensor AFTER MATCH SKIP PAST LAST EVENT",
    f"SELECT ?a {TWO} JOIN (?a.n <= ?b.n) WINDOW (?a, ?b, 3s) AFTER MATCH SKIP TO NEXT EVENT LIMIT 5",
    f"SELECT ?a {THREE} SEQ (?a, ?c) WINDOW (?a, ?b, ?c, 3s) AFTER MATCH SKIP TO FIRST ?b",
    f"SELECT ?a {THREE} JOIN (?a.ok = ?c.ok) WINDOW (?a, ?b, ?c, 3s) PARTITION BY sensor AFTER MATCH SKIP TO LAST ?c",
    f"SELECT ?a {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) HAVING ?b.n > 1 AFTER MATCH CONSUME",
    f"SELECT ?a {THREE} JOIN (?a.n + ?b.n > ?c.n) WINDOW (?a, ?b, ?c, 3s) PARTITION BY sensor, n AFTER MATCH CONSUME",
    f"SELECT ?a {TWO} {COUNTED} JOIN (?a.n <= ?b.n) AFTER MATCH CONSUME",
    f"SELECT ?a {TWO} {COUNTED} JOIN (?a.n <= ?b.n) PARTITION BY ok AFTER MATCH SKIP PAST LAST EVENT",
    f"SELECT ?a, ?room {TWO} {PATH_A} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) AFTER MATCH SKIP TO NEXT EVENT",
    f"SELECT ?room, ?floor FROM (?e, readings) {PATH_E} AFTER MATCH SKIP PAST LAST EVENT",
    f"SELECT ?room, ?floor FROM (?e, readings) {PATH_E} AFTER MATCH SKIP TO FIRST ?e",
    f"SELECT DISTINCT ?a.n {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) AFTER MATCH CONSUME LIMIT 4 OUTPUT LAST EVERY 2s",
)
_ALL = (
    "AVG(?e.x) AS a, SUM(?e.x) AS s, SUM(?e.n) AS t, COUNT(?e.x) AS c, COUNT(?e) AS n, MIN(?e.x) AS lo, "
    "MAX(?e.note) AS hi, STDDEV(?e.x) AS d, FIRST(?e.note) AS f, LAST(?e.n) AS l, COUNT(DISTINCT ?e.sensor) AS k"
)
AGGREGATIONS = (
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, sliding, 3s)",
    f"SELECT {_ALL}, ?e.sensor FROM (?e, readings) WINDOW (?e, sliding, 2s) GROUP BY ?e.sensor, ?e.n % 2",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, sliding, 3 events) GROUP BY ?e.sensor",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, batch, 3s) GROUP BY ?e.sensor",
    f"SELECT {_ALL} FROM (?e, readings) FILTER (?e.ok) WINDOW (?e, batch, 2s, START first) GROUP BY ?e.n",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, batch, 1500ms, START 2012-05-07T00:00:02Z) LIMIT 3",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, batch, 3 events) GROUP BY ?e.sensor",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, hopping, 3s, 1s)",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, hopping, 2500ms, 1s) GROUP BY ?e.sensor",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, hopping, 1s, 1500ms) GROUP BY ?e.sensor LIMIT 5",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, hopping, 3 events, 1 events)",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, hopping, 3 events, 2 events) GROUP BY ?e.sensor",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, hopping, 1 events, 3 events) GROUP BY ?e.ok",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, cumulate, 3s, 1s)",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, cumulate, 5s, 2500ms) GROUP BY ?e.sensor",
    f"SELECT {_ALL} FROM (?e, readings) WINDOW (?e, session, 1s)",
    f"SELECT {_ALL} FROM (?e, readings) FILTER (?e.ok) WINDOW (?e, session, 1500ms) GROUP BY ?e.sensor",
    f"SELECT COUNT(?e) AS c, ?room FROM (?e, readings) {PATH_E} WINDOW (?e, hopping, 2s, 1s) GROUP BY ?floor",
    f"SELECT COUNT(?e) AS c FROM (?e, readings) {PATH_E} WINDOW (?e, hopping, 2 events, 1 events)",
    f"SELECT COUNT(?e) AS c FROM (?e, readings) {PATH_E} WINDOW (?e, cumulate, 2s, 1s) GROUP BY ?room",
    f"SELECT COUNT(?e) AS c FROM (?e, readings) {PATH_E} WINDOW (?e, session, 1s) GROUP BY ?room",
    "SELECT AVG(?e.x) > 1 AS a FROM (?e, readings) WINDOW (?e, sliding, 3s) HAVING (MAX(?e.n) - MIN(?e.n) > 1)",
    f"SELECT ?room, SUM(?floor) AS s FROM (?e, readings) {PATH_E} WINDOW (?e, sliding, 3s) GROUP BY ?room",
    f"SELECT COUNT(?e) AS c, SUM(?floor) AS s FROM (?e, readings) {PATH_E} WINDOW (?e, sliding, 4 events)",
    f"SELECT COUNT(?e) AS c, ?e.n FROM (?e, readings) {PATH_E} WINDOW (?e, batch, 2s) GROUP BY ?room, ?floor",
)
SELECTIONS = (
    "SELECT ?e.n * 2 AS n, ?e.sensor FROM (?e, readings) FILTER (?e.ok OR ?e.x > 1)",
    f"SELECT ?room FROM (?e, readings) {PATH_E} LIMIT 4",
    "SELECT ?e.n FROM (?e, readings) OUTPUT FIRST EVERY 2s",
    "SELECT ?e.n FROM (?e, readings) GROUP BY ?e.sensor OUTPUT LAST EVERY 2s",
    "SELECT ?e.n FROM (?e, readings) GROUP BY ?e.sensor, ?e.n % 2 OUTPUT ALL EVERY 3 matches",
    "SELECT ?e.n FROM (?e, readings) GROUP BY ?e.sensor LIMIT 7 OUTPUT LAST EVERY 2 matches",
    f"SELECT ?e.n FROM (?e, readings) {PATH_E} GROUP BY ?floor OUTPUT FIRST EVERY 2 matches",
    f"SELECT ?room FROM (?e, readings) {PATH_E} GROUP BY ?floor OUTPUT FIRST EVERY 1500ms",
    "SELECT DISTINCT ?e.n FROM (?e, readings) LIMIT 3 OUTPUT ALL EVERY 5s",
    "SELECT COUNT(?e) AS c FROM (?e, readings) WINDOW (?e, batch, 1s) GROUP BY ?e.sensor OUTPUT LAST EVERY 3s",
    "SELECT COUNT(?e) AS c FROM (?e, readings) WINDOW (?e, sliding, 1s) GROUP BY ?e.sensor OUTPUT ALL EVERY 2 matches",
    f"SELECT ?b.n {TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) GROUP BY ?a.sensor OUTPUT LAST EVERY 2s",
    f"SELECT ?room {TWO} {PATH_A} SEQ (?a, ?b) WINDOW (?a, ?b, 3s) GROUP BY ?floor + ?b.n OUTPUT ALL EVERY 2 matches",
    "SELECT DISTINCT ?e.n, ?e.sensor FROM (?e, readings)",
    f"SELECT DISTINCT ?room, ?floor FROM (?e, readings) {PATH_E}",
    "SELECT DISTINCT ?e.x FROM (?e, readings) LIMIT 4",
    "SELECT DISTINCT COUNT(?e) AS c, ?e.ok FROM (?e, readings) WINDOW (?e, batch, 1s) GROUP BY ?e.sensor",
    f"SELECT DISTINCT ?a.n + ?b.n AS n {TWO} JOIN (?a.sensor = ?b.sensor) SEQ (?a, ?b) WINDOW (?a, ?b, 3s)",
)


@st.composite
def streams(draw: st.DrawFn) -> list[Reading]:
    """Readings out of order, with equal time stamps, unbound values, and events of several solutions."""
    found: list[Reading] = []
    for i in range(draw(st.integers(0, 14))):
        event = {
            "id": f"{draw(st.sampled_from('abc'))}{i}",
            "t": draw(st.integers(0, 16)) / 2,
            "stream": draw(st.sampled_from(("readings", "readings", "alarms"))),
            "sensor": draw(st.sampled_from(("s", "t", None))),
            "x": draw(st.sampled_from((None, 0.1, 0.2, 0.3, 1e16, -1e16, 2.5))),
            "n": draw(st.sampled_from((None, 0, 1, 2, 3))),
            "note": draw(st.sampled_from((None, "low", "ünder"))),
            "ok": draw(st.booleans()),
        }
        solutions = draw(
            st.lists(st.tuples(st.sampled_from((1, 2, None)), st.sampled_from("pq")), max_size=2, unique=True)
        )
        found += [{**event, "?floor": floor, "?room": room} for floor, room in solutions or [(1, "p")]]
    return found


def reference(query: Query, readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """What the oracle says."""
    found = {}
    for source in query.sources:
        own = []
        for r in readings:
            if r["stream"] == source.stream.name:
                values = {name: r[name] for name in ("sensor", "x", "n", "note", "ok") if r[name] is not None}
                bindings = {name: _bound(r[f"?{name}"]) for name, _ in source.bindings}
                candidate = Candidate(Event(r["id"], at(r["t"]), values), bindings)
                scope = Scope({source.variable: candidate}, {})
                if candidate not in own and all(holds(f, scope) for f in source.filters):
                    own.append(candidate)
        found[source.variable] = sorted(own, key=lambda c: c.order)
    return expected_rows(query, found)


def _bound(value: object) -> Any:
    return Iri(value) if isinstance(value, str) else value


@pytest.mark.parametrize("text", PATTERNS + AFTERS + AGGREGATIONS + SELECTIONS)
@settings(max_examples=2, deadline=None)
@given(readings=streams(), data=st.data())
def test_operators_equal_the_oracle_however_batches_are_cut(
    text: str, readings: list[Reading], data: st.DataObject
) -> None:
    query = compiled(text)
    whole = answer(query, readings)
    assert difference(without_companions(whole), reference(query, readings)) is None
    assert in_batches(query, readings, data) == whole


def in_batches(query: Query, readings: Sequence[Reading], data: st.DataObject) -> list[dict[str, Any]]:
    """The rows of a stream that comes in batches with watermarks, the operator replaced by its snapshot at times."""
    operator, rows = build_operator(query), []
    cuts = sorted(data.draw(st.lists(st.integers(0, 18), max_size=4)))
    rest = list(readings)
    for cut in [*cuts, None]:
        watermark = END_OF_TIME if cut is None else at(cut / 2)
        early = [r for r in rest if cut is None or at(r["t"]) < watermark or data.draw(st.booleans())]
        early = [r for r in rest if any(r["id"] == e["id"] for e in early)]  # solutions of an event come together
        rest = [r for r in rest if r not in early]
        rows += operator.process(candidates(query, early), watermark).to_pylist()
        if data.draw(st.booleans()):
            state = operator.snapshot()
            operator = build_operator(query)
            operator.restore(state)
    return rows
