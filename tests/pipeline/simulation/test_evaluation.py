"""A document over recorded events that end: the rows of its last query."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kaicep import Project
from kaicep.errors import CeilingError
from kaicep.pipeline.simulation.evaluation import evaluate
from kaicep.pipeline.simulation.registration_simulation import Gap

STREAM = {"event_type": "<urn:R>", "time": {"attribute": "at"}, "attributes": {"x": {"datatype": "xsd:integer"}}}
START = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
EVENTS = [{"at": (START + s * SECOND).isoformat(), "x": s} for s in range(12)]
DOCUMENT = """CREATE QUERY mean AS SELECT AVG(?e.x) AS mean FROM (?e, air) WINDOW (?e, batch, 4s);
SELECT ?m.mean AS mean FROM (?m, mean) FILTER (?m.mean > 2)"""


def rows(text: str, gap: Gap | None = None, *, archived: bool = False) -> list[object]:
    project = Project.parse({"streams": {"air": STREAM}})
    found = evaluate(project, project.compile(text), {"air": EVENTS}, gap, None, archived=archived)
    return [value for row in found for name, value in row.items() if not name.startswith("_")]


def test_the_last_query_is_answered_over_the_output_of_those_before() -> None:
    assert rows(DOCUMENT) == [5.5, 9.5]


def test_now_is_the_time_of_the_streams_at_registration() -> None:
    """Whether the past lies in an archive, or comes live."""
    recent = "SELECT ?e.x AS x FROM (?e, air) WITHIN (now - 2s, now)"
    gap = Gap(START + 6 * SECOND)
    assert rows(recent, gap) == rows(recent, gap, archived=True)
    assert set(rows(recent, gap)) <= {3, 4, 5}
    assert rows(recent, gap)


WIDE = {
    "event_type": "<urn:R>",
    "time": {"attribute": "at"},
    "attributes": {"point": {"datatype": "xsd:string"}, "x": {"datatype": "xsd:integer"}},
    "source": {"format": "csv", "path": "in/", "order": "time", "unpivot": {"name": "point", "value": "x"}},
}


def test_wide_tables_and_batches_in_any_order_are_taken_as_their_source_says() -> None:
    """Also with an outage in their middle, when raw records are delivered again."""
    project = Project.parse({"streams": {"air": WIDE}})
    events = [{"at": (START + s * SECOND).isoformat(), "a": s, "b": -s} for s in range(12)]
    text = "SELECT ?e.point AS point, ?e.x AS x FROM (?e, air) FILTER (?e.x > 8)"
    expected = [("a", 9), ("a", 10), ("a", 11)]
    down = (START + 3 * SECOND, START + 10 * SECOND)
    for rows_of in (
        project.evaluate(text, {"air": events[::-1]}),
        project.evaluate(text, {"air": events[::-1]}, outage=down),
    ):
        assert [(row["point"], row["x"]) for row in rows_of] == expected


PAIRS = "CREATE QUERY pairs AS SELECT ?a.x AS x FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 1h);"
LIMITED = {
    "streams": {
        "air": {
            "event_type": "<urn:E>",
            "time": {"attribute": "t"},
            "attributes": {"x": {"datatype": "xsd:integer"}},
        }
    },
    "engine": {"rows_per_batch": 5},
}
TEN = {"air": [{"t": f"2026-01-01T00:00:{x:02d}Z", "x": x} for x in range(10)]}


def test_another_query_that_fails_takes_no_rows() -> None:
    """It is told of; the rows that are asked for are there."""
    with pytest.warns(UserWarning, match="'pairs' was stopped: .*more than 5 matches became true in one batch"):
        found = Project.parse(LIMITED).evaluate(f"{PAIRS} SELECT ?e.x FROM (?e, air) FILTER (?e.x > 7)", TEN)
    assert [row["x"] for row in found] == [8, 9]


def test_a_query_that_reads_one_that_fails_fails_with_its_reason() -> None:
    with pytest.raises(CeilingError) as caught:
        Project.parse(LIMITED).evaluate(f"{PAIRS} SELECT COUNT(?p) AS n FROM (?p, pairs) WINDOW (?p, batch, 1h)", TEN)
    assert caught.value.place is not None
    assert caught.value.place.column == PAIRS.index("(?a, ?b) WINDOW") + 2
