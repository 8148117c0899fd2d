"""What decides about rows at their very time, and in which circles time goes on."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.checks import compile_document
from kaicep.language.nodes import StreamType
from support.roads import ROAD, ROADS

JAMS = "CREATE QUERY jams AS SELECT ?p.seg, COUNT(?p) AS n FROM (?p, {}) IN CONTEXT {} WINDOW (?p, CONTEXT);"
ENDS = JAMS.format("positions", "jam")
BATCH = "CREATE QUERY n AS SELECT ?q.seg, COUNT(?q) AS n FROM (?q, jams) WINDOW (?q, batch, 5s) GROUP BY ?q.seg;"


def rows(text: str) -> StreamType:
    """The stream of the last query's rows."""
    return compile_document(ROAD + text, ROADS)[-1].output


@pytest.mark.parametrize(
    ("text", "earlier"),
    [
        ("SELECT ?a.id FROM (?a, positions) SEQ (?a, AFTER 1s)", True),
        ("SELECT ?a.id FROM (?a, positions), (?b, calls) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)", True),
        ("SELECT ?a.id FROM (?a, calls), (?b, positions) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)", False),
        ("SELECT ?a.id FROM (?a, positions), (?b, calls) SEQ (?a, NOT ?b FOR 5s)", True),
        ("SELECT ?a.id FROM (?a, calls), (?b, positions) SEQ (?a, NOT ?b FOR 5s)", False),
        ("SELECT ?a.id FROM (?a, calls), (?n, positions), (?b, calls) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 5s)", True),
        ("SELECT ?a.id FROM (?a, positions), (?b, calls) SEQ (?a, ?b?) WINDOW (?a, ?b, 5s)", False),
        ("SELECT COUNT(?a) AS n FROM (?a, positions) WINDOW (?a, batch, 5s)", True),
        ("SELECT COUNT(?a) AS n FROM (?a, positions) WINDOW (?a, session, 5s)", True),
        ("SELECT COUNT(?a) AS n FROM (?a, positions) WINDOW (?a, batch, 5 events)", False),
        ("SELECT COUNT(?a) AS n FROM (?a, positions) WINDOW (?a, sliding, 5s)", False),
    ],
)
def test_whose_events_are_all_earlier_than_the_row(text: str, earlier: bool) -> None:
    """Then whatever comes of the row brings none of them about: rules may feed their own rows."""
    assert ("EVENTS(positions)" in rows(text).depends_on) is not earlier


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("SELECT ?a.id FROM (?a, positions), (?b, calls) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)", True),
        ("SELECT DISTINCT ?a.id FROM (?a, calls) LIMIT 1", False),
        ("SELECT ?a.id FROM (?a, calls), (?b, calls) SEQ (?a -> ?b) WINDOW (?a, ?b, 5s)", False),
        ("SELECT ?a.id FROM (?a, positions), (?b, calls) SEQ (?a, ?b) WINDOW (?a, ?b, 5s) POLICY recent", False),
        ("SELECT ?a.id FROM (?n, calls), (?a, calls) SEQ (NOT ?n, ?a) WINDOW (?n, ?a, 5s)", False),
        ("SELECT COUNT(?a) AS n FROM (?a, calls) WINDOW (?a, sliding, 5s)", False),
        (ENDS + "SELECT ?q.n FROM (?q, jams)", False),
    ],
)
def test_what_more_events_may_take_away_again(text: str, certain: bool) -> None:
    found = rows(text)
    assert (not found.nonmonotonic) is certain
    assert "ENDS(road)" not in found.nonmonotonic


@pytest.mark.parametrize(
    "text",
    [
        "CREATE RULE r ON jams DO INITIATE CONTEXT jam, TERMINATE CONTEXT accident",
        "INITIATE CONTEXT jam FROM (?q, jams)",
        "CREATE QUERY long AS SELECT ?q.seg FROM (?q, jams) FILTER (?q.n > 9); TERMINATE CONTEXT jam FROM (?l, long)",
        "CREATE RULE r ON jams DO EMIT e(?row.seg AS seg); INITIATE CONTEXT jam FROM (?e, e)",
        "CREATE QUERY late AS SELECT ?q.seg FROM (?q, jams) SEQ (?q, AFTER 5s); INITIATE CONTEXT jam FROM (?l, late)",
        BATCH + "INITIATE CONTEXT jam FROM (?n, n)",
    ],
)
def test_time_goes_on_through_a_context_window(text: str) -> None:
    """Which ends before what comes of it begins: LANGUAGE-2 §8, Loops."""
    assert compile_document(ROAD + ENDS + text, ROADS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            JAMS.format("e", "jam") + "CREATE RULE r ON jams DO EMIT e(?row.seg AS seg)",
            "events of 'e' would bring about events of 'e' at the same time",
        ),
        (
            ENDS + "CREATE QUERY few AS SELECT ?q.seg FROM (?q, jams) WINDOW (?q, sliding, 1h) GROUP BY ?q.seg "
            "HAVING (COUNT(?q) < 2); CREATE RULE r ON few DO INITIATE CONTEXT jam",
            "changes of 'road' would change 'road'",
        ),
    ],
)
def test_but_nothing_of_one_moment_reaches_into_it_or_is_undone(text: str, message: str) -> None:
    """The event at whose time it ends is in it; a count of ends that keeps them from coming has no outcome."""
    begin = "CREATE RULE first ON positions DO EMIT e(?row.seg AS seg);" if "(?p, e)" in text else ""
    with pytest.raises(QueryTypeError) as error:
        compile_document(ROAD + begin + text, ROADS)
    assert message in str(error.value)
