"""What is said of the quality of service of a query."""

from __future__ import annotations

from datetime import timedelta

from kaicep import Project
from kaicep.explain.plans import explain_query
from kaicep.explain.plans.service_plan import describe_service
from kaicep.settings import QueryService

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"v": {"datatype": "xsd:integer"}}}


def test_nothing_is_said_of_what_nobody_asks_for() -> None:
    assert not [*describe_service(QueryService())]


def test_latency_priority_and_sample_are_told() -> None:
    service = QueryService(latency=timedelta(seconds=5), priority=2, shed="sample 10%")  # type: ignore[arg-type]
    told = {node.label: node.text for node in describe_service(service)}
    assert list(told) == ["looks at", "latency", "priority"]
    assert "a sample of its events, 0.1 of them" in told["looks at"]
    assert told["latency"].startswith("5s behind")
    assert told["priority"].startswith("2;")


def test_the_plan_of_a_query_has_it() -> None:
    content = {"streams": {"air": STREAM}, "queries": {"low": {"shed": "sample 25%"}}}
    project = Project.parse(content)
    low, other = project.compile("CREATE QUERY low AS SELECT ?e.v; CREATE QUERY other AS SELECT ?e.v")
    assert "looks at" in [child.label for child in explain_query(project, low).children]
    assert "looks at" not in [child.label for child in explain_query(project, other).children]
