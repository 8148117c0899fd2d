"""A query over the archive's past finds what it would have found; of any time, and with what rules would call."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.errors import ArchiveError, PipelineError
from kaicep.server.jobs import TrialSpan, try_past
from kaicep.server.problem import ProblemError
from kaicep.storage import untold
from support.archives import archived_project

ATTRIBUTES = """
[streams.airflowReport.attributes]
sensorID = { datatype = "xsd:string" }
flowrate = { datatype = "xsd:double" }
"""
HIGH = "SELECT ?e.sensorID AS sensor, ?e.flowrate AS flow FILTER (?e.flowrate >= 70)"


@pytest.fixture
def archived(tmp_path: Path) -> Settings:
    """150 readings, one a second from nine o'clock on, each half its number."""
    archived_project(tmp_path)
    with (tmp_path / "kaicep.toml").open("a") as file:
        file.write(ATTRIBUTES)
    return Settings.load(tmp_path)


def test_rows_of_all_the_past_and_of_some(archived: Settings) -> None:
    told: list[tuple[str, float]] = []

    def tell(stage: str, share: float) -> None:
        told.append((stage, share))

    found = try_past(tell, archived, HIGH, TrialSpan(start="2012-05-07"))
    assert (found["count"], found["events"], told[-1]) == (10, {"airflowReport": 150}, ("answering", 1.0))
    assert found["columns"][:3] == ["sensor", "flow", "_time"]
    assert found["rows"][0]["flow"] == 70.0
    assert found["rows"][0]["_time"] == "2012-05-07T09:02:20Z"
    assert [one["query"] for one in found["mapping"]["queries"]] == ["query"]
    some = try_past(tell, archived, HIGH, TrialSpan(last="4s"))
    assert ([row["flow"] for row in some["rows"]], some["events"]) == (
        [72.5, 73.0, 73.5, 74.0, 74.5],
        {"airflowReport": 5},
    )
    until = TrialSpan(start="2012-05-07T09:02:20Z", end="2012-05-07T09:02:22Z")
    assert [row["flow"] for row in try_past(tell, archived, HIGH, until)["rows"]] == [70.0, 70.5]


def test_rows_beyond_those_that_are_told_are_counted(archived: Settings) -> None:
    found = try_past(untold, archived, HIGH, TrialSpan(last="1h"), 3)
    assert (len(found["rows"]), found["count"]) == (3, 10)


def test_what_changes_contexts_tells_no_column_of_the_engine(archived: Settings) -> None:
    """Rows of a query that is in contexts and changes them have columns of its own for that."""
    document = """
    CREATE CONTEXTS air (calm DEFAULT, strong);
    SWITCH CONTEXT strong FROM (?e, airflowReport) IN CONTEXT calm FILTER (?e.flowrate > 70);
    SWITCH CONTEXT calm FROM (?e, airflowReport) IN CONTEXT strong FILTER (?e.flowrate > 74)
    """
    found = try_past(untold, archived, document, TrialSpan(last="1h"))
    assert (found["query"], found["count"]) == ("air.calm.switch", 1)
    assert not [name for name in found["columns"] if not name.isidentifier()]


def test_what_is_wrong(archived: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    for text in ("SELECT", "SELECT ?e.flwo", "# nothing"):
        with pytest.raises(Exception, match=r".") as error:
            try_past(untold, archived, text, TrialSpan(last="1h"))
        assert type(error.value).__module__ == "kaicep.errors"
    empty = Settings.parse(
        {"streams": {"a": {"event_type": "<urn:A>", "time": {"attribute": "t"}}}}, root=tmp_path_factory.mktemp("empty")
    )
    with pytest.raises((ArchiveError, PipelineError)):
        try_past(untold, empty, "SELECT ?e.t", TrialSpan(last="1h"))


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (TrialSpan(), "nothing says of what time"),
        (TrialSpan(last="1h", end="now"), "contradict each other"),
        (TrialSpan(last="soon"), "last: 'soon' is no duration"),
        (TrialSpan(start="soon"), "from: 'soon' is no moment"),
        (TrialSpan(start="2026-02-02", end="later"), "to: 'later' is no moment"),
        (TrialSpan(start="2026-02-02", end="2026-02-01"), "to is not behind from"),
    ],
)
def test_spans_that_mean_nothing(span: TrialSpan, said: str) -> None:
    with pytest.raises(ProblemError, match=said) as problem:
        span.check()
    assert problem.value.status == 400
