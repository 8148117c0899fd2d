"""Refusals of a query as a whole; of several faults the first is told."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.checks.query_checks import CHECKS
from support.vocabulary import compiled

FROM = "FROM (?a, airflowReport), (?b, airflowReport), (?n, airflowReport)"
SEQ = "SEQ (?a, NOT ?n, ?b+) WINDOW (?a, ?b, 5min)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT ?a.sensorID FILTER (COUNT(?a) > 1)", "a FILTER tests one event and knows no aggregates"),
        (f"SELECT ?a.sensorID {FROM} FILTER (?a.flowrate > ?b.flowrate)", "this FILTER mentions ?a and ?b"),
        ("SELECT ?a.sensorID FILTER (1 > 2)", "this FILTER mentions no event"),
        (f"SELECT ?a.sensorID {FROM} JOIN (?a.flowrate > 5)", "this JOIN mentions only ?a"),
        (f"SELECT RUNNING COUNT(?b) AS n {FROM} {SEQ}", "RUNNING is for JOIN"),
        (f"SELECT PREV(?b.flowrate) AS p {FROM} {SEQ}", "PREV is for JOIN"),
        (f"SELECT ?a.sensorID {FROM} {SEQ} JOIN (PREV(?a.flowrate) > ?b.flowrate)", "PREV is about a run"),
        (f"SELECT FIRST(?a.flowrate, 2) AS x {FROM} {SEQ}", "FIRST with a count is about a run"),
        (f"SELECT ?a.sensorID {FROM} {SEQ} JOIN (PREV(?b.flowrate) > ?n.flowrate)", "this looks back in a run"),
        (f"SELECT STR(LIST(?b.flowrate)) AS x {FROM} {SEQ}", "LIST is for SELECT, by itself"),
        (f"SELECT ?n.flowrate {FROM} {SEQ}", "?n stands under NOT: there is no such event to report"),
        (f"SELECT ?b.flowrate {FROM} {SEQ}", "?b.flowrate has a value for each event of the run ?b"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(QueryTypeError) as caught:
        compiled(text)
    assert caught.value.message.startswith(message)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("until", "message"),
    [
        ("?a.flowrate > 5", "this UNTIL says nothing of ?b"),
        ("?b.flowrate > 5 AND ?s = ee:x", "UNTIL is asked of events that no PATH was asked of"),
    ],
)
def test_until_tests_the_events_of_what_is_repeated(until: str, message: str) -> None:
    text = (
        f"SELECT ?a.sensorID FROM (?a, airflowReport), (?b, airflowReport) PATH {{?b evt:hasSource ?s}} "
        f"SEQ (?a, ?b+ UNTIL ({until})) WINDOW (?a, ?b, 5min)"
    )
    with pytest.raises(QueryTypeError) as caught:
        compiled(text)
    assert caught.value.message == message


def test_conditions_of_runs_are_accepted() -> None:
    text = f"SELECT LIST(?b.flowrate) AS x {FROM} {SEQ} JOIN (RUNNING AVG(?b.flowrate) < ?b.flowrate)"
    assert len(compiled(text).joins) == 1


def test_the_first_fault_in_the_order_of_checks_is_told() -> None:
    text = f"SELECT ?n.flowrate {FROM} FILTER (1 > 2) SEQ (?a, NOT ?n, ?b) LIMIT 0"
    with pytest.raises(QueryTypeError, match="this FILTER mentions no event"):
        compiled(text)
    with pytest.raises(QueryTypeError, match="there is no such event to report"):
        compiled(text.replace("FILTER (1 > 2)", ""))


def test_every_check_says_what_it_demands() -> None:
    assert all(check.__doc__ for check in CHECKS)
