"""What single queries ask of a cut that they share with others."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.language.nodes import ValueType
from kaicep.pipeline.sharding.keys.key_claims import KeyClaim, claims_of, is_calendar
from support.keyed import STREAMS

PROJECT = Project.parse({"streams": STREAMS})
SETS = """
    CREATE CONTEXTS road (calm DEFAULT, jam) BY car, seg;
    CREATE CONTEXTS hours (off DEFAULT, shift DURING '08:00-18:00');
    INITIATE CONTEXT jam FROM (?e, P) FILTER (?e.v > 3);
"""
NUMBER = ValueType.INTEGER


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("SELECT ?e.id FROM (?e, P) IN CONTEXT shift", [({}, {})]),
        (
            "SELECT ?e.id FROM (?e, P) IN CONTEXT jam",
            [({"P": "car"}, {"road": 0}), ({"P": "seg"}, {"road": 1})],
        ),
        (
            "SELECT ?e.id FROM (?e, Q) IN CONTEXT jam ON (?e: (?e.v, ?e.car + 1))",
            [({"Q": "v"}, {"road": 0})],
        ),
        (
            (
                "SELECT ?a.id FROM (?a, P), (?b, Q) IN CONTEXT jam FOR ?a JOIN (?a.seg = ?b.v) SEQ (?a, ?b) "
                "WINDOW (?a, ?b, 5s)"
            ),
            [({"P": "seg", "Q": "v"}, {"road": 1})],
        ),
        ("SELECT ?a.id FROM (?a, P), (?b, P) IN CONTEXT jam, shift SEQ (?a, ?b) WINDOW (?a, ?b, 5s)", []),
        ("SELECT COUNT(?e) AS n FROM (?e, P) IN CONTEXT shift WINDOW (?e, CONTEXT) GROUP BY ?e.v", [({"P": "v"}, {})]),
        (
            "TERMINATE CONTEXT jam FROM (?e, P) WINDOW (?e, batch, 5s) GROUP BY ?e.seg, ?e.car HAVING COUNT(?e) > 1",
            [({"P": "car"}, {"road": 0}), ({"P": "seg"}, {"road": 1})],
        ),
        (
            "TERMINATE CONTEXT jam AT (?e.v, ?e.car) FROM (?e, P)",
            [({"P": "v"}, {"road": 0}), ({"P": "car"}, {"road": 1})],
        ),
    ],
)
def test_each_way_in_which_a_query_could_be_cut(text: str, claims: list[tuple[dict[str, str], dict[str, int]]]) -> None:
    query = PROJECT.compile(SETS + text)[-1]
    assert [(dict(claim.streams), dict(claim.keys)) for claim in claims_of(query, frozenset())] == claims


def test_rows_that_others_read_say_the_key_too() -> None:
    query = PROJECT.compile("CREATE QUERY seen AS SELECT ?e.car AS who, ?e.v * 2 AS twice, ?e.id FROM (?e, P)")[0]
    found = [dict(claim.streams) for claim in claims_of(query, frozenset({"seen"}))]
    assert found == [{"P": "car", "seen": "who"}, {"P": "id", "seen": "id"}]


def test_claims_that_contradict_each_other_are_none() -> None:
    one = KeyClaim({"P": "car"}, {"road": 0}, NUMBER)
    assert one.joined(KeyClaim({"Q": "seg"}, {}, NUMBER)) == KeyClaim({"P": "car", "Q": "seg"}, {"road": 0}, NUMBER)
    assert one.joined(KeyClaim({"P": "seg"}, {}, NUMBER)) is None
    assert one.joined(KeyClaim({}, {"road": 1})) is None
    assert one.joined(KeyClaim({"Q": "id"}, {}, ValueType.STRING)) is None


def test_a_calendar_is_known_everywhere() -> None:
    sets = {of.name: of for query in PROJECT.compile(SETS + "SELECT ?e.id FROM (?e, P) IN CONTEXT shift, jam")
            for of in query.context_sets}  # fmt: skip
    assert (is_calendar(sets["hours"]), is_calendar(sets["road"])) == (True, False)
