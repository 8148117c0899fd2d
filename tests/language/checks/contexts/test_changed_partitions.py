"""Which partition a deriving query changes."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.checks import compile_document
from kaicep.language.checks.contexts import carriers
from kaicep.language.checks.resolution import Beside
from kaicep.language.nodes import Query, expression_text
from support.roads import ROAD, ROADS

TWO = "FROM (?a, positions), (?b, positions)"


def keys(text: str, before: str = ROAD) -> list[str]:
    """The hidden items of a deriving query."""
    query = compile_document(f"{before} INITIATE CONTEXT jam {text}", ROADS)[-1]
    return [expression_text(item.value) for item in query.items if item.hidden]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("FROM (?e, positions)", "?e.seg"),
        ("FROM (?e, calls), (?n, sensors) SEQ (?e, NOT ?n FOR 5s)", "?e.segment"),
        (f"{TWO} IN CONTEXT clear SEQ (?a?~, ?b) WINDOW (?a, ?b, 5s)", "?b.seg"),
        (f"{TWO} IN CONTEXT clear SEQ (?a{{2}}, ?b) WINDOW (?a, ?b, 5s)", "?b.seg"),
        (f"{TWO} IN CONTEXT clear ON (?a: ?a.car, ?b: ?b.car) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)", "?a.car"),
        (f"{TWO} IN CONTEXT clear FOR ?b SEQ (?a, ?b) WINDOW (?a, ?b, 5s)", "?b.seg"),
        (f"{TWO} IN CONTEXT clear SEQ (?a OR ?b) WINDOW (?a, ?b, 5s)", "COALESCE(?a.seg, ?b.seg)"),
        (f"{TWO} SEQ (?a+~ -> ?b) WINDOW (?a, ?b, 5s) JOIN (?b.seg = ?a.seg)", "?b.seg"),
        (f"{TWO} SEQ (?a+~ -> ?b{{2}}) WINDOW (?a, ?b, 5s) PARTITION BY bd:floor", "FIRST(?a.seg)"),
        ("FROM (?e, positions) WINDOW (?e, sliding, 5s) GROUP BY ?e.car, ?e.seg HAVING COUNT(?e) > 5", "?e.seg"),
        ("AT (FLOOR(?e.v)) FROM (?e, positions)", "FLOOR(?e.v)"),
    ],
)
def test_keys_are_known(text: str, key: str) -> None:
    assert keys(text) == [key]


@pytest.mark.parametrize(
    "text",
    [
        f"{TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 5s) PARTITION BY car",
        f"{TWO} SEQ (?a+~ -> ?b+~) WINDOW (?a, ?b, 5s) JOIN (?b.seg = ?a.seg)",
        f"{TWO} SEQ ((?a, ?b){{2}}) WINDOW (?a, ?b, 5s) JOIN (?b.seg = ?a.seg)",
        f"{TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 5s) JOIN (?b.seg = ?a.seg OR ?a.car = 5)",
        "FROM (?e, positions) WINDOW (?e, sliding, 5s) GROUP BY ?e.car HAVING COUNT(?e) > 5",
        "FROM (?a, positions), (?b, calls) SEQ (?a, ?b) WINDOW (?a, ?b, 5s) JOIN (?a.id = ?b.id)",
    ],
)
def test_keys_that_may_differ_are_refused(text: str) -> None:
    with pytest.raises(QueryTypeError, match="key 'seg' of 'road' is not known to agree"):
        keys(text)


def test_raw_values_that_stand_for_individuals_agree_in_one_stream() -> None:
    rooms = "CREATE CONTEXTS rooms (cool DEFAULT, jam) BY room;"
    joined = "FROM (?a, sensors), (?b, sensors) SEQ (?a, ?b) WINDOW (?a, ?b, 5s) JOIN (?a.room = ?b.room)"
    assert keys(joined, rooms) == ["?a.<http://cei.usc.edu/Building.owl#hasLocation>"]


def test_a_set_without_keys_needs_none() -> None:
    assert keys(f"{TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 5s)", "CREATE CONTEXTS r (a DEFAULT, jam);") == []


def test_values_are_taken_of_events_that_are_surely_there() -> None:
    def query(text: str) -> Query:
        return compile_document(f"SELECT 1 AS n FROM (?a, positions), (?b, positions), (?c, calls) {text}", ROADS)[-1]

    window = "WINDOW (?a, ?b, ?c, 5s)"
    for pattern, expected in [
        ("(?a? -> ?b -> ?c)", (Beside("b"),)),
        ("(?a{2} -> ?b?~ -> ?c*~)", (Beside("a", several=True),)),
        ("((?a OR ?b) -> ?c?)", (Beside("a"), Beside("b"), Beside("c"))),
        ("((?a AND ?b)?~ -> ?c)", (Beside("c"),)),
        ("((?a AND ?b){2} -> ?c?)", (Beside("a", several=True),)),
    ]:
        assert carriers(["a", "b", "c"], query(f"SEQ {pattern} {window}").pattern) == expected
    assert carriers(["a", "c"], query("SEQ (?a? -> ?b) WINDOW (?a, ?b, 5s) WINDOW (?b, ?c, 5s)").pattern) == (
        Beside("c"),
    )
