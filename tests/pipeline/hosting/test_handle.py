"""A handle gives the rows of its query in order, and says what state it is in."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from kaicep import PipelineError, Project, Rows
from kaicep.cep.output import output_schema
from kaicep.errors import CeilingError
from kaicep.language.nodes import Query
from kaicep.pipeline.durability.progress import Progress
from kaicep.pipeline.hosting.handle import QueryHandle

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}


class Host:
    """An engine that only notes what it is asked."""

    progress = Progress()
    project = Project.parse({})

    def __init__(self, *, failed: bool = True) -> None:
        self.asked: list[str] = []
        self.running = False
        self.failed = failed

    def now_of(self, label: str) -> datetime | None:
        """The first of January."""
        del label
        return NOW

    def explain(self, label: str, query: Query) -> str:
        """A few words."""
        return f"{label}: {query.normal}"

    def withdraw(self, label: str) -> None:
        """Note it."""
        self.asked.append(f"withdraw {label}")

    def park(self, label: str, by: str | None = None) -> None:
        """Note it."""
        self.asked.append(f"park {label} for {by}")

    def resume(self, label: str) -> None:
        """Note it."""
        self.asked.append(f"resume {label}")

    def start(self) -> None:
        """Note it."""
        self.asked.append("start")

    def check(self) -> None:
        """Fail, if it has."""
        if self.failed:
            raise PipelineError("a batch failed", hint="none")


def handle(host: Host, *, collect: bool = True) -> QueryHandle:
    (registration,) = Project.parse({"streams": {"air": STREAM}}).registrations("SELECT ?e.x", "q")
    return QueryHandle(host, registration, collect=collect)


def numbers(*values: int) -> pa.Table:
    """Rows as the query gives them."""
    schema = output_schema(handle(Host()).query)
    return pa.Table.from_pylist([{"x": value, "_time": NOW, "_id": str(value)} for value in values], schema)


def taken(of: QueryHandle) -> list[Any]:
    return [row["x"] for row in of.matches()]


def test_rows_come_in_order_until_the_query_ends() -> None:
    host = Host()
    of = handle(host)
    assert (of.state, of.now) == ("registered", NOW)
    assert not of.receive(numbers(1, 2))
    assert of.state == "running"
    assert of.receive(numbers(3), ending="WITHIN has passed")
    assert (of.state, of.ending) == ("ended", "WITHIN has passed")
    assert not of.receive(numbers(4), ending="WITHIN has passed")
    assert taken(of) == [1, 2, 3]
    assert host.asked == []


def test_a_rule_runs_though_it_hands_nobody_a_row() -> None:
    of = handle(Host(), collect=False)
    assert not of.answered(None)
    assert of.state == "running"
    assert of.answered("WITHIN has passed")
    assert (of.state, of.answered("WITHIN has passed")) == ("ended", False)


def test_a_query_that_was_stopped_gives_its_rows_and_then_the_reason() -> None:
    of = handle(Host())
    of.receive(numbers(1))
    of.note_failure(CeilingError("it asks for too much"))
    assert (of.state, of.ending) == ("parked", None)
    found = of.matches()
    assert next(found)["x"] == 1
    with pytest.raises(CeilingError, match="it asks for too much"):
        next(found)
    with pytest.raises(CeilingError, match="it asks for too much"):
        of.rows()


def test_a_resumed_query_gives_more_rows() -> None:
    host = Host(failed=False)
    of = handle(host)
    of.note_failure(CeilingError("it asks for too much"))
    of.resume()
    assert host.asked == ["resume q"]
    of.park("Ada")
    assert host.asked[1:] == ["park q for Ada"]
    of.note_failure(None)
    of.receive(numbers(1))
    assert of.state == "running"
    assert of.table().num_rows == 1


def test_taking_rows_starts_the_engine_and_its_failure_surfaces() -> None:
    host = Host()
    with pytest.raises(PipelineError, match="a batch failed"):
        taken(handle(host))
    assert host.asked == ["start"]


def test_rows_that_are_not_kept_cannot_be_taken() -> None:
    for ask in (taken, QueryHandle.rows, QueryHandle.table):
        with pytest.raises(PipelineError, match="the rows of 'q' are not kept"):
            ask(handle(Host(), collect=False))


def test_iteration_ends_with_the_streams_and_goes_on_when_they_do() -> None:
    host = Host(failed=False)
    of = handle(host)
    of.began()
    of.receive(numbers(1, 2))
    assert (taken(of), taken(of)) == ([1, 2], [])
    of.receive(numbers(3))
    assert (taken(of), of.state, host.asked) == ([3], "running", [])


def test_a_query_that_nobody_has_read_for_starts_the_engine() -> None:
    host = Host(failed=False)
    assert (taken(handle(host)), host.asked) == ([], ["start"])


def test_iteration_waits_while_the_streams_are_read() -> None:
    host = Host(failed=False)
    host.running = True
    of = handle(host)
    of.began()

    def go_on() -> None:
        of.receive(numbers(1))
        of.receive(numbers(2), ending="LIMIT is reached")

    later = threading.Thread(target=go_on)
    found = of.matches()
    later.start()
    assert [row["x"] for row in found] == [1, 2]
    later.join()


def test_rows_can_be_looked_at_before_they_are_taken() -> None:
    of = handle(Host(failed=False))
    assert (len(of.rows()), of.table().schema) == (0, output_schema(of.query))
    of.receive(numbers(1))
    of.receive(numbers(2))
    assert [row["x"] for row in of.rows()] == [1, 2]
    assert isinstance(of.rows(), Rows)
    assert of.table()["x"].to_pylist() == [1, 2]
    assert taken(of) == [1, 2]
    assert of.rows() == []


def test_rows_beside_a_batch_that_failed_are_not_taken_for_all_there_are() -> None:
    of = handle(Host())
    of.receive(numbers(1))
    with pytest.raises(PipelineError, match="a batch failed"):
        of.rows()
    of.end()
    assert len(of.rows()) == 1


def test_a_query_that_is_stopped_is_withdrawn_and_ends() -> None:
    host = Host()
    of = handle(host)
    of.stop()
    assert (host.asked, of.state, taken(of)) == (["withdraw q"], "ended", [])
