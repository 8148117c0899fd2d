"""Rows of shards, put together in output order."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
from kaicep import Project
from kaicep.language.nodes import Aggregate
from kaicep.pipeline.sharding.row_merge import handed_over, merged_rows, with_moments
from support.keyed import STREAMS

PROJECT = Project.parse({"streams": STREAMS})


def at(second: int) -> datetime:
    return datetime(2024, 1, 1, 0, 0, second, tzinfo=UTC)


def rows(*found: tuple[int, str, int, str, int]) -> pa.Table:
    """Of each row `_time`, and identity and time of both events."""
    kind = pa.timestamp("us", "UTC")
    return pa.table(
        {
            "_time": pa.array([at(t) for t, *_ in found], kind),
            "_events": [{"a": [a], "b": [b]} for _, a, _, b, _ in found],
            "#moment.a": pa.array([at(t) for _, _, t, _, _ in found], kind),
            "#moment.b": pa.array([at(t) for *_, t in found], kind),
        }
    )


def firsts(table: pa.Table) -> list[str]:
    return [row["a"][0] for row in table["_events"].to_pylist()]


def test_rows_come_by_time_then_by_their_last_events() -> None:
    """Whichever variable has the last event; of one moment, its identity decides."""
    one = rows((5, "p", 1, "x", 5), (5, "q", 5, "y", 2), (9, "r", 9, "r", 9))
    other = rows((5, "s", 3, "w", 4), (5, "t", 4, "v", 5), (6, "u", 6, "u", 6))
    assert firsts(merged_rows([one, other])) == ["s", "q", "t", "p", "u", "r"]
    assert firsts(merged_rows([other, one])) == ["s", "q", "t", "p", "u", "r"]


def test_rows_of_one_shard_stay_as_they_are() -> None:
    one = rows((5, "p", 1, "x", 5), (5, "o", 1, "x", 5))
    assert firsts(merged_rows([rows(), one])) == ["p", "o"]
    assert merged_rows([rows(), rows()]).num_rows == 0


def test_moments_are_hidden_and_change_no_identity() -> None:
    (query,) = PROJECT.compile(
        "SELECT ?a.id FROM (?a, P), (?b, P), (?n, P) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 3s) PARTITION BY car"
    )
    told = with_moments(query)
    assert [item.name for item in told.items] == ["id", "#moment.a", "#moment.b"]
    assert [item.hidden for item in told.items] == [False, True, True]
    assert told.identity == query.identity


def test_of_repeated_events_the_last_one_decides() -> None:
    text = "SELECT ?a.id, COUNT(?b) AS n FROM (?a, P), (?b, P) SEQ (?a -> ?b+) WINDOW (?a, ?b, 3s) PARTITION BY car"
    (query,) = PROJECT.compile(text)
    told = with_moments(query)
    assert [item.name for item in told.items] == ["id", "n", "#moment.a", "#moment.b"]
    assert isinstance(told.items[-1].value, Aggregate)
    one = rows((5, "p", 1, "x", 5))
    runs = [{"a": ["q"], "b": ["a", "w"]}, {"a": ["r"], "b": ["a", "y"]}]
    moments = pa.array([at(1)] * 2, pa.timestamp("us", "UTC"))
    other = pa.table({"_time": moments, "_events": runs, "#moment.a": moments, "#moment.b": moments})
    times = pa.array([at(5)] * 2, pa.timestamp("us", "UTC"))
    other = other.set_column(0, "_time", times).set_column(3, "#moment.b", times)
    assert firsts(merged_rows([other, one])) == ["q", "p", "r"]


def test_rows_wait_where_others_may_come_before_them() -> None:
    given, others = handed_over(rows((5, "p", 1, "x", 5), (6, "q", 1, "x", 6), (6, "r", 2, "y", 6)), at(6))
    assert (firsts(given), firsts(others)) == (["p"], ["q", "r"])
    assert handed_over(rows(), at(6))[1].num_rows == 0
