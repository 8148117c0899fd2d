"""Rows reach the sinks once per query and batch, those that were held for it first, and say where they come from."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kaicep import ArchiveError, PipelineError
from kaicep.pipeline.flow import QueryRows
from kaicep.pipeline.sinks import CallbackSink, ConsoleSink, JsonLinesSink, ParquetSink, row_delivery
from kaicep.pipeline.sinks.row_delivery import RowDelivery
from kaicep.pipeline.sinks.sink import Sink
from rich.console import Console


class Collected(Sink):
    """Keeps what it gets."""

    def __init__(self) -> None:
        self.got: list[tuple[int, str, list[tuple[int, str, bool]]]] = []
        self.flushed = 0
        self.at: Mapping[str, Any] = {}

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Keep numbers and marks."""
        columns = (matches[name].to_pylist() for name in ("n", "_source", "_recovered"))
        self.got.append((batch_id, query_name, list(zip(*columns, strict=True))))

    def flush(self) -> None:
        """Count."""
        self.flushed += 1

    def snapshot(self) -> dict[str, Any]:
        """How much there is."""
        return {"got": len(self.got)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Keep it."""
        self.at = state


def numbers(*values: int) -> pa.Table:
    return pa.table({"n": pa.array(values, pa.int64())})


def test_held_rows_come_first_and_each_says_where_it_comes_from() -> None:
    sink = Collected()
    delivery = RowDelivery([sink])
    delivery.hold("a", numbers(1))
    delivery.hold("a", numbers(2), recovered=True)
    delivery.hold("a", numbers(3), live=True)
    assert delivery.waiting
    delivered = delivery.deliver(7, [QueryRows("a", numbers(4)), QueryRows("b", numbers())])
    of_a = [(1, "archive", False), (2, "archive", True), (3, "live", False), (4, "live", False)]
    assert sink.got == [(7, "a", of_a), (7, "b", [])]
    assert delivered.kept["a"].to_pydict() == {"n": [1, 2, 3, 4]}
    assert delivered.counts == {"a": 4, "b": 0}
    assert (sink.flushed, delivery.waiting) == (1, False)


def test_rows_of_a_query_that_the_batch_does_not_answer_are_delivered_too() -> None:
    """It is with its past still."""
    sink = Collected()
    delivery = RowDelivery([sink])
    delivery.hold("past", numbers(1))
    assert list(delivery.deliver(1, []).counts) == ["past"]
    assert sink.got == [(1, "past", [(1, "archive", False)])]


def test_what_is_withdrawn_or_found_again_is_not_delivered() -> None:
    delivery = RowDelivery([])
    delivery.hold("a", numbers(1))
    delivery.hold("b", numbers(1))
    delivery.withdraw("a")
    assert list(delivery.deliver(1, []).counts) == ["b"]
    delivery.hold("a", numbers(1))
    delivery.forget()
    assert not delivery.waiting


def test_every_sink_goes_back_to_its_own_place() -> None:
    first, second = Collected(), Collected()
    first.write(1, "a", pa.table({"n": [1], "_source": ["live"], "_recovered": [False]}))
    state = RowDelivery([first, second]).snapshot()
    restored = Collected(), Collected()
    RowDelivery(restored).restore(state)
    assert [sink.at for sink in restored] == [{"got": 1}, {"got": 0}]
    RowDelivery(restored).restore({})
    assert restored[0].at == {}


class Broken(Sink):
    """Fails in one of its methods."""

    def __init__(self, method: str, error: Exception) -> None:
        self.method, self.error = method, error

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Fail, if it is to."""
        del batch_id, query_name, matches
        self._fail("write")

    def flush(self) -> None:
        """Fail, if it is to."""
        self._fail("flush")

    def snapshot(self) -> dict[str, Any]:
        """Fail, if it is to, or give what no JSON can say."""
        self._fail("snapshot")
        return {"at": object()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Fail, if it is to."""
        del state
        self._fail("restore")

    def _fail(self, method: str) -> None:
        if method == self.method:
            raise self.error


@pytest.mark.parametrize(
    ("method", "error", "told"),
    [
        ("write", ValueError("no room"), "in the sink Broken, in write of 'a': ValueError: no room"),
        ("flush", KeyError(), "in the sink Broken, in flush: KeyError"),
        ("snapshot", OSError("gone"), "in the sink Broken, in snapshot: OSError: gone"),
        ("restore", OSError("gone"), "in the sink Broken, in restore: OSError: gone"),
        ("", OSError(), "in the sink Broken, in snapshot: TypeError: Object of type object is not JSON serializable"),
    ],
)
def test_a_sink_that_fails_is_named_with_its_method(method: str, error: Exception, told: str) -> None:
    delivery = RowDelivery([Collected(), Broken(method, error)])

    def use() -> None:
        delivery.restore({})
        delivery.deliver(1, [QueryRows("a", numbers(1))])
        delivery.snapshot()

    with pytest.raises(PipelineError) as caught:
        use()
    assert str(caught.value) == f"a batch failed {told}: the batch is delivered again at the next start"


def test_an_error_that_says_what_to_do_is_left_alone() -> None:
    error = ArchiveError("no room", hint="make some")
    with pytest.raises(ArchiveError) as caught:
        RowDelivery([Broken("flush", error)]).deliver(1, [])
    assert caught.value is error


def row_table(first: int, last: int) -> pa.Table:
    ids = [str(i) for i in range(first, last)]
    events = pa.array([{"e": [i]} for i in ids], pa.struct([("e", pa.list_(pa.string()))]))
    times = pa.array(range(first, last), pa.timestamp("us", tz="UTC"))
    return pa.table({"x": pa.array(range(first, last), pa.int64()), "_time": times, "_events": events, "_id": ids})


def delivered(folder: Path, size: int, *, missed: bool) -> dict[str, object]:
    """What each kind of sink has of two queries whose rows come in turns, so many at a time."""
    text, calls, collected = io.StringIO(), list[tuple[str, object]](), Whole()
    sinks = [
        JsonLinesSink(folder / "rows.jsonl"),
        ParquetSink(folder / "rows"),
        CallbackSink(lambda query, row: calls.append((query, row["x"]))),
        ConsoleSink(Console(file=text, width=80, force_terminal=True, no_color=True), limit=4),
        collected,
    ]
    delivery = RowDelivery(sinks)
    if missed:
        delivery.hold("a", row_table(100, 103), recovered=True)
    turns = [(first, first + size) for first in range(0, 12, size)]
    rows = [QueryRows(label, row_table(*turn), last=turn[1] == 12) for turn in turns for label in ("a", "b")]
    counts = delivery.deliver(1, [*rows, QueryRows("c", row_table(0, 0))], lambda label: label == "b")
    assert counts.counts == {"a": 12 + 3 * missed, "b": 12, "c": 0}
    assert {label: kept.num_rows for label, kept in counts.kept.items()} == {"a": 0, "b": 12, "c": 0}
    lines = (folder / "rows.jsonl").read_bytes().splitlines()
    files = {path.parent.name: pq.read_table(path).to_pylist() for path in (folder / "rows").glob("*/*.parquet")}
    return {
        "lines": {name: [line for line in lines if b'"_query":"%s"' % name in line] for name in (b"a", b"b")},
        "files": files,
        "calls": sorted(calls, key=lambda call: call[0]),
        "shown": sorted(text.getvalue().splitlines()),
        "whole": collected.got,
    }


class Whole(Sink):
    """Wants all rows of a query and batch together."""

    def __init__(self) -> None:
        self.got: dict[str, list[object]] = {}

    def write(self, batch_id: int, query_name: str, matches: pa.Table) -> None:
        """Keep them, once."""
        assert (batch_id, query_name in self.got) == (1, False)
        self.got[query_name] = matches.to_pylist()


@pytest.mark.parametrize("missed", [False, True])
@pytest.mark.parametrize("size", [1, 3, 6])
def test_every_sink_has_of_pieces_what_it_has_of_all_at_once(tmp_path: Path, size: int, *, missed: bool) -> None:
    """Line by line and row by row, with those that were missed before them."""
    whole = delivered(tmp_path / "whole", 12, missed=missed)
    assert delivered(tmp_path / "pieces", size, missed=missed) == whole
    assert set(whole["files"]) == {"a", "b"}  # type: ignore[call-overload]  # a dictionary


def test_a_batch_that_comes_again_replaces_its_pieces(tmp_path: Path) -> None:
    sink = ParquetSink(tmp_path)
    for last in (9, 6, 0):
        writer = sink.begin(3, "a")
        for first in range(0, last, 3):
            writer.write(row_table(first, first + 3))
        writer.close()
        sink.flush()
        found = list(tmp_path.glob("a/*"))
        assert [pq.read_table(path)["x"].to_pylist() for path in found] == [list(range(last))] * bool(last)


def test_a_killed_engine_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    writer = ParquetSink(tmp_path).begin(3, "a")
    for first in range(0, 9, 3):
        writer.write(row_table(first, first + 3))
    assert [path.suffix for path in tmp_path.glob("a/.*")] == [".part"]
    assert list(tmp_path.glob("a/*.parquet")) == []
    after = ParquetSink(tmp_path)
    after.write(3, "a", row_table(0, 2))
    after.flush()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["000000000003.parquet"]


def test_many_rows_that_are_kept_wait_on_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is kept in memory is bounded; nothing is left of the files, and the rows can be read."""
    monkeypatch.setattr(row_delivery, "_IN_MEMORY", 10_000)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    delivery = RowDelivery([])
    turns = [QueryRows("a", row_table(n, n + 5_000), last=n == 195_000) for n in range(0, 200_000, 5_000)]
    expected = pa.concat_tables([turn.rows for turn in turns])
    before = pa.total_allocated_bytes()
    kept = delivery.deliver(1, turns).kept["a"]
    assert pa.total_allocated_bytes() - before < expected.slice(0, 20_000).nbytes
    assert kept.equals(expected)
    assert not list(tmp_path.iterdir())
