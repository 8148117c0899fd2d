"""What MATCH_RECOGNIZE (SQL:2016, row pattern recognition) has beyond the others: the same from engine and oracle.

Source: ISO/IEC TR 19075-5; the examples are those of Oracle's and Flink's documentation of MATCH_RECOGNIZE.
"""

from __future__ import annotations

from support.letters import agreed, answer, expected, question

STRICT = "POLICY strict"
TICKER = "a10 b9 b8 b7 c8 c9 z5 a9 b6 c7"


def test_a_v_shape_with_prev_in_the_definitions() -> None:
    """PATTERN (STRT DOWN+ UP+) DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price)."""
    joins = ("JOIN (?b.x < PREV(?b.x) AND ?b.x < ?a.x)", "JOIN (?c.x > PREV(?c.x) AND ?c.x > LAST(?b.x))")
    found = ["a1 b2 b3 b4 c5 c6", "a8 b9 c10"]
    assert agreed("?a, ?b+, ?c+", TICKER, *joins, STRICT, "AFTER MATCH SKIP PAST LAST EVENT") == found


def test_measures_first_last_and_aggregates_of_a_variable() -> None:
    select = (
        "?a.x AS start, LAST(?b.x) AS bottom, LAST(?c.x) AS top, COUNT(?b) AS n, AVG(?b.x) AS mean, LIST(?b.x) AS all"
    )
    text = question("?a, ?b+, ?c+", STRICT, "AFTER MATCH SKIP PAST LAST EVENT", select=select)
    rows = answer(text, TICKER)
    assert [[row[name] for name in ("start", "bottom", "top", "n", "mean", "all")] for row in rows] == [
        [10.0, 7.0, 9.0, 3, 8.0, [9.0, 8.0, 7.0]],
        [9.0, 6.0, 7.0, 1, 6.0, [6.0]],
    ]
    assert rows == [dict(row) for row in expected(text, TICKER)]


def test_a_running_aggregate_in_a_definition() -> None:
    """Flink's example: PATTERN (A+ B) DEFINE A AS AVG(A.price) < 15 (before the row that is tested)."""
    joins = "JOIN (RUNNING AVG(?a.x) < 15 AND ?a.x > 0)"
    found = agreed("?a+, ?b", "a12 a17 a13 a16 a25 b2 b4", joins, STRICT, "AFTER MATCH SKIP PAST LAST EVENT")
    assert found == ["a1 a2 a3 a4 a5 b6"]


def test_reluctant_and_greedy_are_both_lengths_here() -> None:
    """A `+?` in SQL takes the shortest; `~` reports every length, the shortest among them."""
    assert agreed("?a, ?b+~, ?c", "a b b c", "POLICY next") == ["a1 b2 b3 c4", "a1 b2 c4"]


def test_permute_is_and() -> None:
    """PERMUTE (A, B, C)."""
    assert agreed("?a AND ?b AND ?c", "c a b", STRICT) == ["a2 b3 c1"]


def test_alternation() -> None:
    """PATTERN (A (B | C) D)."""
    assert agreed("?a, (?b OR ?c), ?d", "a c d", STRICT) == ["a1 c2 d3"]


def test_partition_by_and_skip_to_last() -> None:
    clauses = (STRICT, "PARTITION BY group", "AFTER MATCH SKIP TO LAST ?b")
    assert agreed("?a, ?b+", "a/p a/q b/p b/p b/q", *clauses) == ["a1 b3 b4", "a2 b5"]
