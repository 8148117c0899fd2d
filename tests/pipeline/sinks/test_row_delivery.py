"""Rows reach the sinks once per query and batch, those that were held for it first, and say where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest
from kaicep import ArchiveError, PipelineError
from kaicep.pipeline.sinks.row_delivery import RowDelivery
from kaicep.pipeline.sinks.sink import Sink


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
    matches = delivery.deliver(7, [("a", numbers(4)), ("b", numbers())])
    of_a = [(1, "archive", False), (2, "archive", True), (3, "live", False), (4, "live", False)]
    assert sink.got == [(7, "a", of_a), (7, "b", [])]
    assert matches["a"].to_pydict() == {"n": [1, 2, 3, 4]}
    assert (sink.flushed, delivery.waiting) == (1, False)


def test_rows_of_a_query_that_the_batch_does_not_answer_are_delivered_too() -> None:
    """It is with its past still."""
    sink = Collected()
    delivery = RowDelivery([sink])
    delivery.hold("past", numbers(1))
    assert list(delivery.deliver(1, [])) == ["past"]
    assert sink.got == [(1, "past", [(1, "archive", False)])]


def test_what_is_withdrawn_or_found_again_is_not_delivered() -> None:
    delivery = RowDelivery([])
    delivery.hold("a", numbers(1))
    delivery.hold("b", numbers(1))
    delivery.withdraw("a")
    assert list(delivery.deliver(1, [])) == ["b"]
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
        delivery.deliver(1, [("a", numbers(1))])
        delivery.snapshot()

    with pytest.raises(PipelineError) as caught:
        use()
    assert str(caught.value) == f"a batch failed {told}: the batch is delivered again at the next start"


def test_an_error_that_says_what_to_do_is_left_alone() -> None:
    error = ArchiveError("no room", hint="make some")
    with pytest.raises(ArchiveError) as caught:
        RowDelivery([Broken("flush", error)]).deliver(1, [])
    assert caught.value is error
