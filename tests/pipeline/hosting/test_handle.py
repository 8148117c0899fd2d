"""A handle gives the rows of its query in order, and says what state it is in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from kaicep import PipelineError, Project
from kaicep.errors import CeilingError
from kaicep.language.nodes import Query
from kaicep.pipeline.durability.progress import Progress
from kaicep.pipeline.hosting.handle import QueryHandle

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}


class Host:
    """An engine that only notes what it is asked."""

    progress = Progress()

    def __init__(self) -> None:
        self.asked: list[str] = []

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

    def start(self) -> None:
        """Note it."""
        self.asked.append("start")

    def check(self) -> None:
        """Fail, as nobody should wait here."""
        raise PipelineError("a batch failed", hint="none")


def handle(host: Host, *, collect: bool = True) -> QueryHandle:
    (registration,) = Project.parse({"streams": {"air": STREAM}}).registrations("SELECT ?e.x", "q")
    return QueryHandle(host, registration, collect=collect)


def numbers(*values: int) -> pa.Table:
    return pa.table({"n": pa.array(values, pa.int64())})


def taken(of: QueryHandle) -> list[Any]:
    return [row["n"] for row in of.matches()]


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


def test_a_query_that_was_stopped_gives_its_rows_and_then_the_reason() -> None:
    of = handle(Host())
    of.receive(numbers(1), ending="too much", failure="it asks for too much")
    assert of.state == "failed"
    found = of.matches()
    assert next(found) == {"n": 1}
    with pytest.raises(CeilingError, match="it asks for too much"):
        next(found)


def test_taking_rows_starts_the_engine_and_its_failure_surfaces() -> None:
    host = Host()
    with pytest.raises(PipelineError, match="a batch failed"):
        taken(handle(host))
    assert host.asked == ["start"]


def test_rows_that_are_not_kept_cannot_be_taken() -> None:
    with pytest.raises(PipelineError, match="the rows of 'q' are not kept"):
        taken(handle(Host(), collect=False))


def test_a_query_that_is_stopped_is_withdrawn_and_ends() -> None:
    host = Host()
    of = handle(host)
    of.stop()
    assert (host.asked, of.state, taken(of)) == (["withdraw q"], "ended", [])
