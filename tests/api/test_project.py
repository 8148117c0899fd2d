"""A project as people have it in Python: refusals say what to do."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from kaicep import PipelineError, PlanError, QueryTypeError
from support.letters import BEGIN, project, stream

TEXT = "SELECT ?e.x FROM (?e, letters) FILTER (?e.x > 1)"


def evaluated(**options: Any) -> list[float]:
    return [row["x"] for row in project().evaluate(TEXT, stream("a1 a2 a3 a4"), **options)]


def test_rows_are_those_of_the_last_query() -> None:
    text = f"CREATE QUERY all AS SELECT ?e.x FROM (?e, letters); {TEXT}"
    assert [row["x"] for row in project().evaluate(text, stream("a1 a2"))] == [2.0]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["live", "replay", "rewrite", "hybrid", None])
def test_rows_do_not_depend_on_the_strategy(strategy: Any) -> None:
    text = TEXT.replace(" FILTER", " WITHIN (, ) FILTER")
    when = BEGIN + timedelta(seconds=2)
    found = project().evaluate(text, stream("a1 a2 a3 a4"), strategy=strategy, registered_at=when)
    assert [row["x"] for row in found] == [2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "replai"}, "there is no strategy 'replai': did you mean 'replay'?"),
        ({"overlap": timedelta(seconds=-1)}, "overlap is negative"),
        ({"in_flight": timedelta(seconds=-1)}, "in_flight is negative"),
        ({"outage": (BEGIN, BEGIN - timedelta(1))}, "the outage ends before it begins"),
    ],
)
def test_what_cannot_be_tried_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError) as error:
        evaluated(**options)
    assert message in str(error.value)


def test_an_unknown_stream_is_refused() -> None:
    with pytest.raises(QueryTypeError, match="did you mean 'letters'"):
        project().evaluate(TEXT, {"leters": []})


def test_a_query_is_explained_in_words() -> None:
    (query,) = project().compile(TEXT)
    told = project().explain(query)
    assert told.splitlines()[0] == "query (unnamed): selection"
    assert "    filter on columns: ?e.x > 1" in told.splitlines()


def test_an_event_is_explained() -> None:
    (event,) = stream("a1")["letters"]
    found = project().why(TEXT, event)
    assert not found.holds
    assert found.candidacies[0].clauses[0].note == "?e.x is 1, equal"


def test_events_come_as_columns_or_files(tmp_path: Path) -> None:
    """A data frame, a Parquet file and two CSV files give the rows of the dictionaries."""
    events = stream("a1 a2 a3 a4")["letters"]
    frame = pl.DataFrame(events).drop("group")
    frame.write_parquet(tmp_path / "all.parquet")
    frame[:2].write_csv(tmp_path / "first.csv")
    frame[2:].write_csv(tmp_path / "then.csv")
    expected = project().evaluate(TEXT, {"letters": events})
    files = [tmp_path / "first.csv", tmp_path / "then.csv"]
    for recording in (frame, frame.to_pandas(), tmp_path / "all.parquet", str(tmp_path / "all.parquet"), files):
        assert project().evaluate(TEXT, {"letters": recording}) == expected
    assert len(expected) > 0


def test_rows_are_events_again() -> None:
    """What one query has found another may read: rows go in as any other columns."""
    found = project().evaluate("SELECT ?e.name AS name, ?e.x AS x, ?e._time AS at FROM (?e, letters)", stream("a1 a2"))
    assert [row["x"] for row in project().evaluate("SELECT ?e.x AS x FROM (?e, letters)", {"letters": found})] == [1, 2]


def test_why_takes_a_data_frame_of_one_row() -> None:
    events = pl.DataFrame(stream("a1 a2")["letters"]).drop("group")
    asked = "SELECT ?e.x FROM (?e, letters) FILTER (?e.x > 1)"
    said = project().why(asked, events[1:], stream="letters")
    assert said == project().why(asked, events.to_dicts()[1], stream="letters")
    with pytest.raises(PipelineError) as caught:
        project().why(asked, events, stream="letters")
    assert str(caught.value) == "one event is explained at a time, and there are 2 rows: give one, such as df[:1]"


def test_a_document_that_only_declares_contexts_asks_nothing() -> None:
    with pytest.raises(PipelineError, match="the document asks nothing"):
        project().evaluate("CREATE CONTEXTS mood (calm DEFAULT, busy)", stream("a b"))
