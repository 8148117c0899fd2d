"""PARTITION BY, GROUP BY, AFTER MATCH, LIMIT and OUTPUT of a query."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.nodes import AfterMatch, AfterMatchKind, Output
from support.vocabulary import TWO_STREAMS, compiled

PAIR = "SELECT ?a.sensorID FROM (?a, airflowReport), (?b, temperatureReport) SEQ (?a, ?b) WINDOW (?a, ?b, 5min)"
WINDOW = "SELECT COUNT(?e) AS n FROM (?e, airflowReport) WINDOW (?e, sliding, 5min)"


def test_a_partition_has_a_column_of_every_variable() -> None:
    query = compiled(f"{PAIR} PARTITION BY sensorID, timestamp", TWO_STREAMS)
    assert query.partition_by == (
        (("a", "sensorID"), ("b", "sensorID")),
        (("a", "timestamp"), ("b", "timestamp")),
    )


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", AfterMatch(AfterMatchKind.KEEP_ALL)),
        ("AFTER MATCH SKIP PAST LAST EVENT", AfterMatch(AfterMatchKind.PAST_LAST)),
        ("AFTER MATCH SKIP TO FIRST ?b", AfterMatch(AfterMatchKind.TO_FIRST, "b")),
        ("AFTER MATCH CONSUME", AfterMatch(AfterMatchKind.CONSUME)),
    ],
)
def test_after_match(text: str, after: AfterMatch) -> None:
    assert compiled(f"{PAIR} {text}", TWO_STREAMS).after_match == after


def test_limit_and_output() -> None:
    query = compiled(f"{PAIR} LIMIT 3 OUTPUT last EVERY 10s", TWO_STREAMS)
    assert (query.limit, query.output_rate) == (3, Output("LAST", timedelta(seconds=10)))
    query = compiled(PAIR, TWO_STREAMS)
    assert (query.limit, query.output_rate) == (None, None)


def test_groups_without_aggregates_serve_output() -> None:
    text = "SELECT ?e.sensorID FROM (?e, airflowReport) GROUP BY ?e.sensorID"
    assert len(compiled(f"{text} OUTPUT FIRST EVERY 10s").group_by) == 1
    with pytest.raises(QueryTypeError, match="GROUP BY without an aggregate groups nothing"):
        compiled(text)


def test_windows_by_condition_of_groups_need_no_aggregate() -> None:
    text = "SELECT ?e.sensorID FROM (?e, airflowReport) WINDOW (?e, CHECK (COUNT(?e) <= 3)) GROUP BY ?e.sensorID"
    assert len(compiled(text).group_by) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{WINDOW} PARTITION BY sensorID", "PARTITION BY is for matches of several events"),
        (f"{WINDOW} GROUP BY COUNT(?e)", "GROUP BY knows no aggregates yet"),
        (f"{WINDOW} AFTER MATCH CONSUME", "AFTER MATCH is for matches of events"),
        (f"{PAIR} AFTER MATCH SKIP TO LAST ?c", "unknown variable ?c"),
        (f"{PAIR} LIMIT 0", "LIMIT 0 ends the query before its first match"),
        (f"{PAIR} OUTPUT ALL EVERY 0s", "OUTPUT EVERY nothing"),
        (f"{PAIR} PARTITION BY celsius", "unknown attribute 'celsius'"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, message: str) -> None:
    with pytest.raises(QueryTypeError) as caught:
        compiled(text, TWO_STREAMS)
    assert caught.value.message.startswith(message)


def test_no_match_can_be_skipped_to_under_a_negation() -> None:
    text = (
        "SELECT ?a.sensorID FROM (?a, airflowReport), (?n, airflowReport), (?b, airflowReport) SEQ (?a, NOT ?n, ?b) "
        "WINDOW (?a, ?b, 5min) AFTER MATCH SKIP TO FIRST ?n"
    )
    with pytest.raises(QueryTypeError, match=r"\?n stands under NOT"):
        compiled(text)
