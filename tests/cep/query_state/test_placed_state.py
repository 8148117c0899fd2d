"""With FOR a partial match goes on as the windows of its events let it."""

from __future__ import annotations

from kaicep import Project
from support.mode_queries import CONTENT, at

PROJECT = Project.parse(CONTENT)
CONTEXTS = (
    "CREATE CONTEXTS road (calm DEFAULT, hot);\nINITIATE CONTEXT hot FROM (?e, T) FILTER (?e.k = 'i');\n"
    "TERMINATE CONTEXT hot FROM (?e, T) FILTER (?e.k = 't');\n"
)
QUERY = (
    "CREATE QUERY q AS SELECT ?a.id FROM (?a, S), (?b, S) IN CONTEXT hot FOR %s WHERE { FILTER (?a.k = 'a') "
    "FILTER (?b.k = 'b') SEQ (?a, ?b) WINDOW (?a, ?b, 1h) }%s;\n"
)


def held(required: str, second: float, after: str = "") -> list[str]:
    """The events that are held: the context begins at 2 s and ends at 4 s, events come at 1, 3 and 5 s."""
    streams = {
        "S": [{"id": f"{k}{i}", "t": at(i).isoformat(), "k": k} for i, k in ((1, "a"), (3, "a"), (3.5, "b"), (5, "a"))],
        "T": [{"id": k, "t": at(i).isoformat(), "k": k} for i, k in ((2, "i"), (4, "t"))],
    }
    text = CONTEXTS + QUERY % (required, after) + "SELECT ?x.id FROM (?x, STATE(q))"
    return [row["id"] for row in PROJECT.evaluate(text, streams, ask_at=at(second))]


def test_events_that_for_names_lie_in_a_window() -> None:
    assert held("?a", 6) == ["a3"]  # b may come anywhere


def test_a_window_that_has_ended_takes_no_more_events() -> None:
    assert held("?a, ?b", 3.2) == ["a3"]
    assert held("?a, ?b", 6) == []


def test_what_for_names_may_come_in_a_window_that_is_still_to_come() -> None:
    assert held("?b", 6) == ["a1", "a3", "a5"]


def test_after_match_goes_by_window() -> None:
    assert held("?a", 6, " AFTER MATCH CONSUME") == []
    assert held("?b", 6, " AFTER MATCH CONSUME") == ["a1", "a3", "a5"]


def test_what_waits_in_a_mode_is_asked_likewise() -> None:
    assert held("?a", 6, " POLICY chronicle") == ["a3"]
    assert held("?b", 6, " POLICY chronicle") == ["a3", "a5"]
