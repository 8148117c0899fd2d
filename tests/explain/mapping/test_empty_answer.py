"""No query is without a row and without a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import Project
from support.mapping import mapped, project_with_model, readings

PAIR = "SELECT ?a.value FROM (?a, air), (?b, air)"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Streams `air` and `water`, three sensors in the model."""
    return project_with_model(tmp_path)


def reasons(
    project: Project, text: str, rows: list[dict[str, object]] | None = None, *, ended: bool = True
) -> list[str]:
    streams = {} if rows is None else {"air": rows}
    *_, query = mapped(project, text, streams, ended=ended).queries
    assert query.rows.reported == 0
    return list(query.reasons)


def test_the_stream_has_brought_nothing(project: Project) -> None:
    assert reasons(project, "SELECT ?e.value FROM (?e, air)") == ["?e: stream air has brought no record"]


def test_no_record_is_an_event(project: Project) -> None:
    rows = [{"when": "2026-01-01", "sensor": "s1", "value": 1}]
    assert reasons(project, "SELECT ?e.value FROM (?e, air)", rows) == [
        "?e: none of 1 records of stream air is an event: 'at' is in none of them (is it 'when'?)"
    ]
    rows = [{"at": "yesterday", "sensor": "s1", "value": 1}]
    assert reasons(project, "SELECT ?e.value FROM (?e, air)", rows) == [
        "?e: none of 1 records of stream air is an event"
    ]


def test_the_query_that_is_read_has_no_row(project: Project) -> None:
    text = "CREATE QUERY high AS SELECT ?e.value FROM (?e, air) FILTER (?e.value > 9); SELECT ?h.value FROM (?h, high)"
    assert reasons(project, text, readings(1)) == ["?h: query high, which it reads, has no row"]


def test_within_is_another_time(project: Project) -> None:
    (reason,) = reasons(project, "SELECT ?e.value FROM (?e, air) WITHIN (2027-01-01, )", readings(1, 2))
    assert reason == (
        "?e: none of 2 events lies in WITHIN, from 2027-01-01T00:00:00Z (inclusive) on; "
        "they are of 2026-01-01T00:00:00Z to 2026-01-01T00:00:01Z"
    )


def test_a_filter_is_never_true(project: Project) -> None:
    text = "SELECT ?e.value FROM (?e, air) FILTER (?e.value > 0) FILTER (?e.value > 500)"
    assert reasons(project, text, readings(0, 1, 2.5)) == [
        "?e: FILTER (?e.value > 500) is true of none of 2 events; value is 0 to 2.5"
    ]


def test_a_filter_looks_at_what_no_event_has(project: Project) -> None:
    text = "SELECT ?e.value FROM (?e, air) FILTER (?e.value > 0)"
    assert reasons(project, text, readings(1, name="reading")) == [
        "?e: FILTER (?e.value > 0) is true of none of 1 events",
        "  no event has 'value': is it 'reading'?",
    ]


def test_a_join_asks_too_much_of_each_event(project: Project) -> None:
    text = f"{PAIR} FILTER (?a.value > 0.5) JOIN (?b.value - ?a.value > 50) SEQ (?a, ?b) WINDOW (?a, ?b, 1min)"
    assert reasons(project, text, readings(1, 2)) == [
        "?b: what JOIN asks of each event (?b.value > 50.5) is true of none of 2 events; value is 1 to 2"
    ]


def test_a_path_holds_of_nothing_because_ids_are_unknown(project: Project) -> None:
    text = "SELECT ?e.value FROM (?e, air) PATH { ?e m:sensor ?s . ?s a m:CO2 }"
    found = reasons(project, text, readings(1, 2, sensors=("S1", "x")))
    assert found[0].endswith(" holds of none of 2 events, 0 of the stream's 2 individuals")
    assert found[1:] == ["  2 of 2 ids of 'sensor' are unknown"]


def test_a_path_asks_for_a_class_that_nothing_belongs_to(project: Project) -> None:
    text = "SELECT ?e.value FROM (?e, air) PATH { ?e m:sensor ?s . ?s a m:Unused }"
    _, line = reasons(project, text, readings(1))
    assert line == "  <urn:m:Unused> is a class of the knowledge, but no individual belongs to it"


def test_a_path_can_never_hold(project: Project) -> None:
    found = reasons(project, "SELECT ?e.value FROM (?e, air) PATH { ?e a m:CO2 }", readings(1))
    assert found[1] == "  it never does: events of air are no <urn:m:CO2>"


def test_paths_hold_of_other_events(project: Project) -> None:
    text = (
        "SELECT ?e.value FROM (?e, air) PATH { ?e m:sensor ?s . ?s a m:CO2 } AND PATH { ?e m:sensor ?t . ?t a m:Flow }"
    )
    found = reasons(project, text, readings(1, 2, 3))
    assert found == [
        "?e: each PATH holds of some events, but together they hold of none of 3",
        "  all ids are known: ask `kaicep why` with one of the events which triple is missing",
    ]


def test_candidates_do_not_go_together(project: Project) -> None:
    found = reasons(
        project, f"{PAIR} JOIN (?a.value + 5 = ?b.value) SEQ (?a, ?b) WINDOW (?a, ?b, 1min)", readings(1, 2)
    )
    assert found[0] == "no match: there are candidates, 2 of ?a, 2 of ?b, but none that go together"
    assert found[1:] == ["  JOIN (?a.value + 5 = ?b.value): no two of them are equal in it"]
    running = reasons(project, f"{PAIR} SEQ (?a, ?b) WINDOW (?a, ?b, 1min)", readings(1), ended=False)
    assert running[0].endswith("none that go together, or what there is waits for later events")


EACH = "SEQ for their order, JOIN for values, HAVING for values, WINDOW for distance"
ORDERED = "SEQ (?a, ?b) WINDOW (?a, ?b, 1min)"


@pytest.mark.parametrize(
    ("clauses", "why"),
    [
        (f"JOIN (?a.value > ?b.value) {ORDERED}", ["JOIN (?a.value > ?b.value): true of none of 3 combinations"]),
        (
            f"JOIN (?a.value < ?b.value) {ORDERED} HAVING (?b.value  - ?a.value > 5)",
            ["HAVING (?b.value - ?a.value > 5): true of none of 3 combinations"],
        ),
        (
            f"JOIN (?a.value < ?b.value) {ORDERED} HAVING (?b.value > 5)",
            ["HAVING (?b.value > 5): true of none of 3 combinations"],
        ),
        (
            "JOIN (?a.value < ?b.value) SEQ (?a, ?b) WINDOW (?a, ?b, 1s) HAVING (?a.value < 2 AND ?b.value > 2)",
            [f"each condition is true of some; the query asks by {EACH}: try without one"],
        ),
        (
            "FILTER (?a.value < 3) SEQ (?a, NOT ?b FOR 10s)",
            ["the query asks by SEQ for their order, NOT for no event of ?b: try without one"],
        ),
        (
            "SEQ (?a -> ?b{4}) WINDOW (?a, ?b, 1h) HAVING COUNT(?b) > 9",
            ["the query asks by SEQ for their order, WINDOW for distance: try without one"],
        ),
    ],
)  # fmt: skip
def test_the_condition_that_is_never_true_is_named(project: Project, clauses: str, why: list[str]) -> None:
    """HAVING is told from JOIN although both are asked while matches are looked for."""
    assert reasons(project, f"{PAIR} {clauses}", readings(1, 2, 3))[1:] == [f"  {line}" for line in why]


def test_no_candidate_under_not_is_no_reason(project: Project) -> None:
    text = "SELECT ?a.value FROM (?a, air), (?n, water) FILTER (?a.value > 9) SEQ (?a, NOT ?n FOR 1s)"
    (reason,) = reasons(project, text, readings(1))
    assert reason.startswith("?a: FILTER")


def test_having_is_never_true(project: Project) -> None:
    text = "SELECT AVG(?e.value) > 500 AS mean FROM (?e, air) WINDOW (?e, batch, 1s)"
    assert reasons(project, text, readings(1, 2)) == [
        "HAVING, or the comparison of an item, is true of none of 2 windows (2 of ?e)"
    ]


def test_what_waits_for_later_events_is_told(project: Project) -> None:
    text = "SELECT AVG(?e.value) AS mean FROM (?e, air) WINDOW (?e, batch, 1h)"
    assert reasons(project, text, readings(1), ended=False) == [
        "no window is complete that holds one of 1 of ?e, or what there is waits for later events"
    ]
    assert reasons(project, "SELECT ?e.value FROM (?e, air)", readings(1), ended=False) == [
        "candidates (1 of ?e) wait for later events"
    ]
    text = "SELECT ?e.value FROM (?e, air) OUTPUT LAST EVERY 1h"
    assert reasons(project, text, readings(1, 2), ended=False) == ["OUTPUT keeps 1 rows back until their period ends"]
