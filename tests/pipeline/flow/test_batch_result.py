"""What a batch brought: rows come as they are asked for, several results are one in their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pyarrow as pa
from kaicep.pipeline.flow import CALLS, QueryRows
from kaicep.pipeline.flow.batch_result import BatchResult, StreamResult, StreamTally, merged
from kaicep.pipeline.flow.rules import FiringOrder
from support.action_calls import calls

REJECTED = pa.table({"row": pa.array([], pa.int64()), "reason": pa.array([], pa.string())})


def events(*values: int) -> pa.Table:
    rows = pa.array(range(len(values)), pa.int64())
    times = pa.array([datetime.fromtimestamp(v, UTC) for v in values], pa.timestamp("us", "UTC"))
    ids = pa.array([f"e{v}" for v in values], pa.string())
    return pa.table({"_time": times, "_id": ids, "x": pa.array(values, pa.int64()), "_row": rows})


def test_rows_are_computed_when_they_are_taken_and_counted() -> None:
    asked: list[str] = []

    def answers() -> Iterator[QueryRows]:
        for label in ("a", "b", "b"):
            asked.append(label)
            yield QueryRows(label, pa.table({"n": [len(asked)]}))

    result = BatchResult({}, answers(), {}, {})
    assert asked == []
    assert next(result.rows())[0] == "a"
    assert asked == ["a"]
    assert result.counts == {"a": 1}
    assert {label: rows["n"].to_pylist() for label, rows in result.matches.items()} == {"b": [2, 3]}
    assert result.counts == {"a": 1, "b": 2}
    assert list(result.rows()) == []
    assert {label: rows["n"].to_pylist() for label, rows in result.matches.items()} == {"b": [2, 3]}
    assert [rows["n"].to_pylist() for rows in BatchResult({}, answers(), {}, {}).rows_of("b")] == [[5], [6]]


def test_late_events_are_archived_with_a_mark() -> None:
    archived = StreamResult(events(1, 2), events(3), REJECTED, 0, 0).archived
    assert archived.column_names == ["_time", "_id", "x", "_late"]
    assert archived["_id"].to_pylist() == ["e1", "e2", "e3"]
    assert archived["_late"].to_pylist() == [False, False, True]


def test_one_result_is_itself() -> None:
    result = {"air": StreamResult(events(1), events(), REJECTED, 0, 0)}
    assert merged([result]) is result


def test_results_are_joined_in_their_order() -> None:
    first = {"air": StreamResult(events(1), events(9), REJECTED, 1, 2)}
    nothing = StreamResult(events(), events(), REJECTED, 0, 0)
    second = {"air": StreamResult(events(2, 3), events(), REJECTED, 10, 20), "door": nothing}
    found = merged([first, second])
    assert list(found) == ["air", "door"]
    assert found["air"].events["x"].to_pylist() == [1, 2, 3]
    assert found["air"].events["_row"].null_count == 3
    assert found["air"].late["x"].to_pylist() == [9]
    assert (found["air"].duplicates, found["air"].unlinked) == (11, 22)


def test_calls_of_rules_are_those_of_the_rows_that_were_taken() -> None:
    made = calls(FiringOrder(False, 0, "", 1, 0, 0), (2, "0"), (1, "0"))
    answers = [QueryRows("r", pa.table({"n": [1]}), calls=made), QueryRows("q", pa.table({"n": [2]}))]
    result = BatchResult({}, answers, {}, {})
    assert result.calls.num_rows == 0
    assert list(result.matches) == ["r", "q"]
    assert result.calls.schema == CALLS
    assert [time.timestamp() for time in result.calls["_time"].to_pylist()] == [1, 2]


def test_calls_of_rules_are_counted_by_rule_unless_nobody_makes_them() -> None:
    order = FiringOrder(deferred=False, stream=0, row="", priority=1, rule=0, action=0)
    others = replace(order, rule=1)
    result = BatchResult({}, (), {}, {})
    result.count_done({"r0": {"calls": 2, "events emitted": 1}})
    result.add_calls([calls(order, (1, "1"), (2, "2")), calls(others, (1, "1"))])
    assert result.done == {"r0": {"calls": 4, "events emitted": 1}, "r1": {"calls": 1}}
    assert result.calls.num_rows == 3
    result.count_no_calls()
    assert result.done == {"r0": {"calls": 0, "events emitted": 1}, "r1": {"calls": 0}}


def test_the_numbers_of_two_pieces_are_put_together() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    one, none = StreamTally(1, 2, 3, 4, 5, at), StreamTally(10, 20, 30, 40, 50, None)
    assert one.with_more(none) == none.with_more(one) == StreamTally(11, 22, 33, 44, 55, at)


def test_the_first_moment_of_what_was_admitted() -> None:
    assert StreamResult(events(4, 2, 9), events(1), REJECTED, 0, 0).first == datetime.fromtimestamp(2, UTC)
    assert StreamResult(events(), events(1), REJECTED, 0, 0).first is None
