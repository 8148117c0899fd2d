"""Whether a query's rows are decided at their time, and what decides about them."""

from __future__ import annotations

import pytest
from kaicep.language.checks import compile_document
from kaicep.language.nodes import StreamType
from support.roads import ROAD, ROADS

THREE = "FROM (?a, positions), (?b, positions), (?n, positions)"
WINDOW = "WINDOW (?a, ?b, 1h)"


def rows(text: str) -> StreamType:
    """The stream of the last query's rows."""
    return compile_document(ROAD + text, ROADS)[-1].output


@pytest.mark.parametrize(
    ("pattern", "late"),
    [
        ("(?a -> ?b{1,; ->}, NOT ?n FOR 5s)", True),
        ("(?a -> ?b{1,; ->}~, NOT ?n FOR 5s)", False),
        ("(?a -> ?b{2; ->}, NOT ?n FOR 5s)", False),
        ("(NOT ?n FOR 5s, ?a -> ?b{1,; ->})", True),
        ("(NOT ?n FOR 5s, ?a -> ?b+)", True),
        ("(NOT ?n FOR 5s, ?a -> ?b{1,; ->>})", False),
        ("(?a{1,; ->}, NOT ?n, ?b)", False),
        ("(?a{1,; ->}, NOT ?n, ?b?~)", True),
        ("(NOT ?n FOR 5s, (?a{1,; ->} AND ?b))", True),
        ("(NOT ?n FOR 5s, (?a OR ?b{1,; ->}))", True),
        ("(NOT ?n FOR 5s, (?a{1,; ->} -> ?b){2})", False),
        ("(NOT ?n FOR 5s, (?a -> ?b{1,3; ->}){2})", True),
        ("(?a -> ?b{1,; ->} -> NOT ?n)", False),
        ("(?a -> ?b{1,; ->} => NOT ?n)", True),
        ("(?a -> ?b => NOT ?n)", True),
        ("(?a => NOT ?n -> ?b)", False),
        ("(?a -> ?b{1,; ->}, NOT ?n, AFTER 5s)", True),
        ("(?a -> ?b{1,; ->}~, NOT ?n, AFTER 5s)", False),
        ("(?a -> ?b{1,; ->}, EVERY 5s UNTIL ?n)", True),
        ("(?a -> ?b, NOT ?n, AFTER 5s)", False),
        ("(?a -> ?b, EVERY 5s UNTIL ?n)", False),
    ],
)
def test_patterns_that_later_events_decide(pattern: str, late: bool) -> None:
    assert rows(f"SELECT 1 AS x {THREE} SEQ {pattern} {WINDOW} POLICY next").decided_late is late


@pytest.mark.parametrize(("output", "late"), [("FIRST", False), ("LAST", True), ("ALL", True)])
def test_output_that_waits(output: str, late: bool) -> None:
    assert rows(f"SELECT ?a.id FROM (?a, positions) OUTPUT {output} EVERY 5s").decided_late is late


def test_what_is_decided_late_makes_its_readers_late() -> None:
    late = "CREATE QUERY q AS SELECT ?a.id FROM (?a, positions) OUTPUT LAST EVERY 5s;"
    assert rows(late + "SELECT ?q.id FROM (?q, q)").decided_late
    assert not rows("CREATE QUERY q AS SELECT ?a.id FROM (?a, positions); SELECT ?q.id FROM (?q, q)").decided_late


def test_rows_know_the_sets_whose_changes_decide_about_them() -> None:
    assert rows("SELECT ?c.seg FROM (?c, CONTEXTS(road))").depends_on == {"road", "EVENTS(CONTEXTS(road))"}
    assert rows("SELECT ?p.seg FROM (?p, positions) IN CONTEXT jam").depends_on == {"EVENTS(positions)"}
    whole = "CREATE QUERY q AS SELECT COUNT(?p) AS n FROM (?p, positions) IN CONTEXT jam WINDOW (?p, CONTEXT);"
    assert rows(whole).depends_on == {"ENDS(road)", "EVENTS(positions)"}
    assert rows(whole + "SELECT ?q.n FROM (?q, q)").depends_on == {"ENDS(road)", "EVENTS(positions)", "EVENTS(q)"}


def test_a_change_may_go_by_contexts_that_it_changes() -> None:
    """They act on later events only."""
    assert rows("INITIATE CONTEXT jam FROM (?p, positions) IN CONTEXT clear").depends_on == {"EVENTS(positions)"}
