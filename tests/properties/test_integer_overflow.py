"""Integers near 2**63: what leaves 64 bits goes on as a double, however a query is answered (docs/semantics.md 2.5)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaicep import Project, QueryTypeError
from oracle.evaluate import Oracle
from support.cases import difference
from support.sampling import some_of

MOST, LEAST = 2**63 - 1, -(2**63)
SETTINGS = {
    "streams": {
        "s": {
            "event_type": "<urn:Counted>",
            "time": {"attribute": "at"},
            "identity": ["name"],
            "attributes": {
                "name": {"datatype": "xsd:string"},
                "n": {"datatype": "xsd:integer"},
                "m": {"datatype": "xsd:integer"},
                "x": {"datatype": "xsd:double"},
                "g": {"datatype": "xsd:string"},
            },
        }
    }
}
PROJECT, ORACLE = Project.parse(SETTINGS), Oracle(SETTINGS)
ONE, TWO = "FROM (?e, s)", "FROM (?a, s), (?b, s)"
SEQ = "SEQ (?a, ?b) WINDOW (?a, ?b, 4s)"
Pair = tuple[int | None, int | None]
VALUES: list[Pair] = [
    *((MOST, 1), (MOST, MOST), (LEAST, -1), (LEAST, LEAST), (1, 2), (None, 3), (5, 0), (2**62, 2**62), (-1, LEAST)),
    (MOST - 1, 2),
]
CONDITIONS = (
    "{a}.n + {b}.m > 9000000000000000000", "{a}.n * {a}.m = {b}.m * {b}.n", "{a}.n - {b}.m <= {a}.m",
    "ABS({a}.n) >= 9223372036854775807 OR NOT ({b}.n + {a}.m < 3)", "-{a}.n > 0 AND {b}.m * 2 != 4",
    "{a}.n + {b}.m IN (3, 5, 9.223372036854775808e18)", "({a}.n + {b}.m) / 2 > {a}.x", "({a}.n * {b}.n) % 7 = 1",
    "COALESCE({a}.n + {b}.m, 1) > 0", "IF({a}.n > 0, {a}.n * 2, {b}.m) < {a}.n", "BOUND({a}.n * {b}.m)",
    "STR({a}.n + {b}.m) = '3'", "FLOOR({a}.n + {b}.m) < {a}.x", "({a}.n + {b}.m) * {a}.n > 1.0e30",
)  # fmt: skip
ITEMS = (
    "?e.n + ?e.m AS i", "?e.n - ?e.m AS i", "?e.n * ?e.m AS i", "-?e.n AS i", "ABS(?e.n) AS i", "?e.n % ?e.m AS i",
    "?e.n / ?e.m AS i", "(?e.n + ?e.m) * ?e.m AS i", "(?e.n * ?e.m) % 7 AS i", "(?e.n + ?e.m) / 0 AS i",
    "COALESCE(?e.n + ?e.m, 1) AS i", "IF(?e.n > 0, ?e.n * 2, 0) AS i", "STR(?e.n * ?e.m) AS i",
    "(?e.n * ?e.m) + ?e.x AS i", "CEIL(?e.n + ?e.m) AS i", "COALESCE(?e.n * ?e.m, ?e.x) AS i",
)  # fmt: skip
AGGREGATES = (
    "SUM({n})", "AVG({n})", "COUNT({n})", "COUNT(DISTINCT {n})", "MIN({n})", "MAX({n})", "FIRST({n})", "LAST({n}, 1)",
    "MEDIAN({n})", "PERCENTILE({n}, 90)", "MODE({n})", "STDDEV({n})", "SUM({n}) - 1", "SUM({n}) * SUM({n})",
)  # fmt: skip
OF = ("?e.n", "?e.n", "?e.n + ?e.m", "?e.n * ?e.m", "ABS(?e.m)")


def events(pairs: list[Pair]) -> dict[str, list[dict[str, object]]]:
    rows: list[dict[str, object]] = [
        {"name": f"e{i}", "at": f"2012-05-04T09:30:{i:02d}Z", "n": n, "m": m, "x": 1.5, "g": "ab"[i % 2]}
        for i, (n, m) in enumerate(pairs)
    ]
    return {"s": rows}


def agree(text: str, pairs: list[Pair]) -> None:
    stream = events(pairs)
    found = difference(PROJECT.evaluate(text, stream), ORACLE.evaluate(text, stream), 1e-9)
    assert found is None, f"{text}\n{found}"


def windowed(aggregate: str, of: str) -> str:
    return f"SELECT {aggregate.format(n=of)} AS a {ONE} WINDOW (?e, sliding, 3 events)"


@pytest.mark.parametrize("item", ITEMS)
def test_items_go_on_as_doubles(item: str) -> None:
    agree(f"SELECT {item} {ONE}", VALUES)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_on_one_event(condition: str) -> None:
    agree(f"SELECT ?e.name {ONE} FILTER ({condition.format(a='?e', b='?e')})", VALUES)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("pattern", ["?a, ?b", "?a, ?b{1,2; ->>}~"], ids=["joins", "automata"])
def test_conditions_between_events(condition: str, pattern: str) -> None:
    text = f"SELECT COUNT(?b) AS n {TWO} JOIN ({condition.format(a='?a', b='?b')}) SEQ ({pattern}) WINDOW (?a, ?b, 4s)"
    agree(text, VALUES)


@pytest.mark.parametrize("of", some_of(OF[1:], 2))
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_aggregates_over_windows(aggregate: str, of: str) -> None:
    agree(windowed(aggregate, of), VALUES)


@pytest.mark.parametrize("of", ["?b.n", "?b.n + ?b.m"])
@pytest.mark.parametrize("aggregate", some_of(AGGREGATES, 7))
def test_aggregates_over_repetitions(aggregate: str, of: str) -> None:
    a = aggregate.format(n=of)
    agree(f"SELECT {a} AS a {TWO} JOIN ({a} != 7) SEQ (?a, ?b{{1,3; ->>}}~) WINDOW (?a, ?b, 4s)", VALUES)


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT COUNT(?b) AS n {TWO} JOIN (?b.n + ?a.n < RUNNING SUM(?b.n) + 5) SEQ (?a, ?b+) WINDOW (?a, ?b, 3s)",
        f"SELECT COUNT(?b) AS n {TWO} JOIN (?b.n > PREV(?b.n) + ?a.n) SEQ (?a, ?b+) WINDOW (?a, ?b, 3s)",
        f"SELECT COUNT(?b) AS n {TWO} JOIN (COALESCE(PREV(?b.n) + 1, 0) < 5) SEQ (?a, ?b+) WINDOW (?a, ?b, 3s)",
        f"SELECT COUNT(?b) AS n {TWO} JOIN (BOUND(PREV(?b.n)) OR ?b.n > 0) SEQ (?a, ?b+) WINDOW (?a, ?b, 3s)",
        f"SELECT COUNT(?b) AS n {TWO} SEQ (?a -> ?b{{1,; ->}} UNTIL (?b.n + ?b.m > 1.0e18)) WINDOW (?a, ?b, 3s)",
        f"SELECT LIST(?b.n + ?b.m) AS l {TWO} SEQ (?a, ?b+) WINDOW (?a, ?b, 2s)",
        f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, batch, 20s) GROUP BY ?e.n + ?e.m",
        f"SELECT DISTINCT ?e.n + ?e.m AS p {ONE}",
        f"SELECT ?e.n + ?e.m AS p {ONE} OUTPUT LAST EVERY 2 matches",
        f"SELECT SUM(?e.n) > 9000000000000000000 AS s {ONE} WINDOW (?e, sliding, 2 events)",
        f"SELECT COUNT(?e) AS n {ONE} WINDOW (?e, sliding, 3 events) HAVING SUM(?e.n) > AVG(?e.n) * 2",
    ],
)
def test_everything_else_that_computes(text: str) -> None:
    agree(text, VALUES)


SUMS = "CREATE QUERY sums AS SELECT ?s.name AS name, ?s.n + ?s.m AS i, ?s.m AS m, ?s.x AS x FROM (?s, s)"
SPAN, THREE = "WINDOW (?a, ?b, 4s)", "WINDOW (?e, sliding, 3 events)"
READ, READ_TWO = "FROM (?e, sums)", "FROM (?a, sums), (?b, sums)"


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT ?e.i {READ}",
        f"SELECT ?e.* {READ}",
        f"SELECT ?e.i * 2 AS d, ?e.i / ?e.m AS q, -?e.i AS n, STR(?e.i) AS s, BOUND(?e.i) AS b {READ}",
        f"SELECT ?e.name {READ} FILTER (?e.i > 9000000000000000000)",
        f"SELECT ?e.name {READ} FILTER (?e.i IN (3, 5, 1.8446744073709551614e19) OR ?e.i < ?e.x)",
        f"SELECT SUM(?e.i) AS s, AVG(?e.i) AS a, COUNT(?e.i) AS n, MAX(?e.i) AS m {READ} {THREE}",
        f"SELECT COUNT(?e) AS n {READ} WINDOW (?e, batch, 20s) GROUP BY ?e.i",
        f"SELECT DISTINCT ?e.i {READ}",
        f"SELECT MIN(?e.i) AS i, MODE(?e.i) AS m, MEDIAN(?e.i) AS d, PERCENTILE(?e.i, 90) AS p {READ} {THREE}",
        f"SELECT ?e.i {READ} OUTPUT LAST EVERY 2 matches",
        f"SELECT ?a.i AS a, ?b.i AS b {READ_TWO} SEQ (?a, ?b) {SPAN} PARTITION BY i",
        f"SELECT ?a.name {READ_TWO} JOIN (?a.i = ?b.i) SEQ (?a, NOT ?b FOR 3s)",
        f"SELECT FIRST(?b.i, 1) AS n, LAST(?b.i) AS l {READ_TWO} SEQ (?a, ?b+) {SPAN}",
        f"SELECT COUNT(?b) AS n {READ_TWO} JOIN (?b.i > PREV(?b.i)) SEQ (?a, ?b+) {SPAN}",
        f"SELECT COUNT(?b) AS n {READ_TWO} JOIN (BOUND(PREV(?b.i)) OR ?b.i > 0) SEQ (?a, ?b+) {SPAN}",
        f"SELECT COUNT(?b) AS n {READ_TWO} SEQ (?a -> ?b{{1,; ->}} UNTIL (?b.i > 1.0e18)) {SPAN}",
        f"SELECT ?a.i AS a, ?b.i AS b {READ_TWO} JOIN (?a.i < ?b.i) SEQ (?a, ?b) WINDOW (?a, ?b, 4s)",
        f"SELECT ?a.name AS a, ?b.name AS b {READ_TWO} JOIN (?a.i = ?b.i) SEQ (?a, ?b) WINDOW (?a, ?b, 9s)",
        f"SELECT SUM(?b.i) AS s, LIST(?b.i) AS l {READ_TWO} JOIN (?b.i > ?a.i) SEQ (?a, ?b{{1,3; ->>}}~) {SPAN}",
        f"SELECT COUNT(?b) AS n {READ_TWO} JOIN (?b.i < RUNNING SUM(?b.i) + 5) SEQ (?a, ?b+) WINDOW (?a, ?b, 3s)",
        f"CREATE QUERY twice AS SELECT ?e.i + 1 AS j {READ}; SELECT ?t.j AS j FROM (?t, twice) FILTER (?t.j > 1.0e18)",
    ],
)
def test_queries_that_read_others_go_on_with_doubles(text: str) -> None:
    agree(f"{SUMS}; {text}", VALUES)


def test_the_attribute_of_the_doubles_is_nobody_s_business() -> None:
    text = f"{SUMS}; SELECT ?e.sum {READ}"
    with pytest.raises(QueryTypeError, match="it has name, i, m, x and _time"):
        PROJECT.evaluate(text, events(VALUES))
    assert PROJECT.evaluate(f"{SUMS}; SELECT ?e.* {READ}", events(VALUES)).columns[:4] == ("name", "i", "m", "x")


def test_the_average_of_integers_is_exact_whatever_their_sum() -> None:
    (row,) = PROJECT.evaluate(
        f"SELECT AVG(?e.n) AS a, SUM(?e.n) AS s {ONE} WINDOW (?e, batch, 1min)", events([(MOST, 0), (MOST, 0), (3, 0)])
    )
    assert row["s"] == float(2 * MOST + 3)
    assert row["a"] == float(2 * MOST + 3) / 3


def test_integers_stay_integers_where_none_leaves() -> None:
    (row,) = PROJECT.evaluate(f"SELECT SUM(?e.n) AS s {ONE} WINDOW (?e, batch, 1min)", events([(MOST, 0), (-1, 0)]))
    assert row["s"] == MOST - 1
    assert isinstance(row["s"], int)


@pytest.mark.parametrize("strategy", ["replay", "hybrid", "rewrite", None])
@pytest.mark.parametrize(
    "condition", [*CONDITIONS[:3], "ABS({a}.n) * {b}.m >= 9223372036854775807", "NOT ({b}.n + {a}.m < 3)"]
)
def test_no_strategy_over_the_past_answers_otherwise(condition: str, strategy: str | None) -> None:
    stream, at = events(VALUES), datetime(2012, 5, 4, 9, 30, 7, tzinfo=UTC)
    for text in (
        f"SELECT ?e.name, ?e.n + ?e.m AS i {ONE} WITHIN (, ) FILTER ({condition.format(a='?e', b='?e')})",
        f"SELECT ?a.name {TWO} WITHIN (, ) JOIN ({condition.format(a='?a', b='?b')}) {SEQ}",
    ):
        rows = PROJECT.evaluate(text, stream, strategy=strategy, registered_at=at)  # type: ignore[arg-type]  # one of them
        found = difference(rows, ORACLE.evaluate(text, stream, at))
        assert found is None, found


integers = st.one_of(
    st.integers(-4, 4), st.integers(MOST - 4, MOST), st.integers(LEAST, LEAST + 4), st.integers(LEAST, MOST),
    st.sampled_from((2**62, -(2**62), 2**53 + 1, 3_037_000_500)), st.none(),
)  # fmt: skip


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pairs=st.lists(st.tuples(integers, integers), min_size=1, max_size=8), data=st.data())
def test_engine_equals_oracle_near_the_ends_of_64_bits(pairs: list[Pair], data: st.DataObject) -> None:
    condition = data.draw(st.sampled_from(CONDITIONS))
    pattern = data.draw(st.sampled_from(("?a, ?b", "?a, ?b{1,2; ->>}~", "?a AND ?b")))
    between = f"JOIN ({condition.format(a='?a', b='?b')}) SEQ ({pattern}) WINDOW (?a, ?b, 4s)"
    texts = (
        f"SELECT {data.draw(st.sampled_from(ITEMS))} {ONE} FILTER ({condition.format(a='?e', b='?e')})",
        windowed(data.draw(st.sampled_from(AGGREGATES)), data.draw(st.sampled_from(OF))),
        f"SELECT SUM(?b.n) AS s {TWO} {between}",
    )
    agree(data.draw(st.sampled_from(texts)), pairs)
