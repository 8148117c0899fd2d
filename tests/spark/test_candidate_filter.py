"""PATHs and FILTERs without a query around them select what a query would."""

from __future__ import annotations

import pytest
from kaicep import Project, QuerySyntaxError, QueryTypeError
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.spark.candidate_filter import CandidateFilter
from kaicep.spark.event_tables import plain_events
from support.living import project

READINGS = [{"sensor": f"s{i % 4}", "at": f"2026-01-01T00:00:{i:02d}Z", "flow": i / 2} for i in range(20)]
OFFICE = "PATH {?e ex:sensor ?s . ?s ex:in ?r . ?r a ex:Office}"
CLAUSES = [
    "",
    "FILTER (?e.flow > 3)",
    OFFICE,
    f"{OFFICE} FILTER (?e.flow > 3)",
    "PATH {?e ex:sensor ?s . ?s ex:key ?k} FILTER (?k = ?e.sensor) FILTER (?e.flow > 1)",
    "PATH {?e ex:sensor ?s . ?s ?p ?o} FILTER (STRLEN(STR(?o)) > 3)",
]


@pytest.fixture(scope="module")
def air(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("air"))


@pytest.mark.parametrize("clauses", CLAUSES)
def test_events_are_those_that_a_query_has(air: Project, clauses: str) -> None:
    """Each once, however many solutions it has; in their order."""
    events = plain_events(air, "air", raw_table(READINGS))
    left = CandidateFilter(air, "air", clauses).select(events)
    rows = air.evaluate(f"SELECT ?e._id AS event FROM (?e, air) {clauses}", {"air": READINGS})
    assert left["_id"].to_pylist() == list(dict.fromkeys(row["event"] for row in rows))
    assert left.schema == events.schema


@pytest.mark.parametrize(
    "clauses",
    ["LIMIT 3", "WITHIN (, now]", "OUTPUT FIRST EVERY 2s", "SELECT ?e.flow AS flow", "WINDOW (?e, batch, 2s)"],
)
def test_more_than_a_filter_is_refused(air: Project, clauses: str) -> None:
    with pytest.raises((QueryTypeError, QuerySyntaxError)):
        CandidateFilter(air, "air", clauses)


def test_the_refusal_says_what_to_do(air: Project) -> None:
    with pytest.raises(QueryTypeError) as refused:
        CandidateFilter(air, "air", "LIMIT 3")
    assert str(refused.value) == (
        "a filter is made of PATH and FILTER alone: give whole queries to kaicep.spark.matches"
    )
