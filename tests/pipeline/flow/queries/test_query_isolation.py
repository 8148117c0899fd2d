"""Isolation: what one query fails with stops it alone, and a cancelled batch stops none."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.errors import CeilingError
from kaicep.pipeline.flow.queries.query_isolation import CancelledError, QueryIsolation
from kaicep.pipeline.flow.queries.query_runtime import QueryRuntime

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}


@pytest.fixture
def flow() -> QueryRuntime:
    project = Project.parse({"streams": {"air": STREAM}})
    (registration,) = project.registrations("SELECT ?e.x AS x FROM (?e, air)", "q")
    return QueryRuntime(registration, project.shape, project.knowledge, project.options)


def failing(error: BaseException) -> int:
    raise error


def test_a_query_that_fails_is_stopped_with_its_error(flow: QueryRuntime, caplog: pytest.LogCaptureFixture) -> None:
    isolation = QueryIsolation(isolated=True)
    assert isolation.run(flow, lambda: 3) == 3
    assert isolation.run(flow, lambda: failing(MemoryError())) is None
    assert flow.failure is not None
    assert flow.failure.message == "'q' cannot be answered: memory ran out"
    assert [record.message for record in caplog.records] == ["query q failed"]


def test_without_isolation_the_error_is_raised(flow: QueryRuntime) -> None:
    with pytest.raises(CeilingError, match="too much"):
        QueryIsolation(isolated=False).run(flow, lambda: failing(CeilingError("too much")))
    assert flow.failure is None


def test_what_was_cancelled_has_not_failed(flow: QueryRuntime) -> None:
    isolation = QueryIsolation(isolated=True)

    def ended() -> None:
        isolation.cancel()
        failing(OSError("the process of its PATHs is gone"))

    with pytest.raises(CancelledError):
        isolation.run(flow, ended)
    with pytest.raises(CancelledError):
        isolation.run(flow, lambda: 3)
    assert flow.failure is None
