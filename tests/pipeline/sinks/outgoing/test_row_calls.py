"""Rows in the outbox: with their batch, once, and only of the queries that somebody wants."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import cast

import pyarrow as pa
from kaicep.pipeline.actions import CallDelivery
from kaicep.pipeline.flow.rules import CALLS
from kaicep.pipeline.sinks.outgoing import RowCalls
from support.receivers import calls_table


class Outbox:
    """Notes what it is given."""

    def __init__(self) -> None:
        self.batches: dict[int, list[tuple[str, str, str]]] = {}
        self.apart: list[tuple[str, str, str]] = []
        self.released = 0
        self.lines: list[str] = []

    def put(self, batch: int, calls: pa.Table) -> None:
        self.batches[batch] = _shown(calls)
        self.lines += calls["arguments"].to_pylist()

    def put_apart(self, calls: pa.Table) -> None:
        self.apart += _shown(calls)

    def release(self, batch: int) -> None:
        self.released = batch


def _shown(calls: pa.Table) -> list[tuple[str, str, str]]:
    assert calls.schema == CALLS
    return list(zip(*(calls[name].to_pylist() for name in ("action", "rule", "_id")), strict=True))


def matches(*numbers: int) -> pa.Table:
    at = [datetime(2026, 1, 1, 0, 0, number, tzinfo=UTC) for number in numbers]
    return pa.table({"n": list(numbers), "_time": pa.array(at), "_id": [f"a{number}" for number in numbers]})


def sink(**wanted: tuple[str, ...]) -> tuple[RowCalls, Outbox]:
    outbox = Outbox()
    names = {f"sinks.{name}": queries for name, queries in wanted.items()}
    return RowCalls(cast("CallDelivery", outbox), CALLS, names), outbox


def test_rows_are_kept_with_the_calls_of_their_batch() -> None:
    rows, outbox = sink(every=(), some=("warm",))
    rows.write(1, "warm", matches(1))
    rows.write(1, "cold", matches(2))
    rows.flush()
    rows.put(1, calls_table([1]))
    rows.release(1)
    assert outbox.batches[1] == [
        ("ops", "r", "r-1"),
        ("sinks.every", "warm", "a1"),
        ("sinks.some", "warm", "a1"),
        ("sinks.every", "cold", "a2"),
    ]
    assert outbox.released == 1
    assert json.loads(outbox.lines[1]) == {"n": 1, "_query": "warm", "_time": "2026-01-01T00:00:01Z", "_id": "a1"}


def test_what_was_not_kept_with_its_batch_is_not_kept_with_another() -> None:
    """A batch that is done again brings its rows again."""
    rows, outbox = sink(every=())
    rows.write(1, "warm", matches(1))
    rows.flush()
    rows.write(1, "warm", matches(1, 2))
    rows.flush()
    rows.put(1, CALLS.empty_table())
    rows.flush()
    rows.put(2, CALLS.empty_table())
    assert outbox.batches == {1: [("sinks.every", "warm", "a1"), ("sinks.every", "warm", "a2")], 2: []}


def test_the_end_of_the_streams_is_no_batch() -> None:
    """A batch of that number, which comes when the streams go on, has rows of its own, or none."""
    rows, outbox = sink(every=())
    rows.write(2, "warm", matches(1))
    rows.flush()
    rows.end()
    assert outbox.apart == [("sinks.every", "warm", "a1")]
    rows.flush()
    rows.put(2, CALLS.empty_table())
    assert outbox.batches == {2: []}


def test_a_query_that_nobody_wants_costs_nothing() -> None:
    rows, outbox = sink(some=("warm",))
    rows.write(1, "cold", matches(1))
    rows.flush()
    rows.put(1, CALLS.empty_table())
    assert outbox.batches == {1: []}
