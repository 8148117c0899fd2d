"""Rows of shards, put together in output order."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
from kaicep import Project
from kaicep.pipeline.sharding.row_merge import merged_rows, with_moments
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
