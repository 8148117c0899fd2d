"""What a rule does for a row, checked."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.checks import compile_document
from kaicep.language.nodes import ActionKind, Query
from support.roads import ROAD, ROADS
from support.vocabulary import iri

LATE = "CREATE QUERY q AS SELECT ?p.car FROM (?p, positions) OUTPUT LAST EVERY 5s; "
CIRCLE = """
    CREATE RULE r ON positions DO EMIT a(1 AS x); CREATE RULE s ON a DO EMIT b(1 AS x);
    CREATE QUERY c AS SELECT ?b.x FROM (?b, b); CREATE RULE t ON c DO EMIT a(2 AS x)
"""


def compiled(text: str) -> Query:
    """The last query or rule of a text."""
    return compile_document(ROAD + text, ROADS)[-1]


def test_the_items_of_all_actions_are_hidden_items_of_one_query() -> None:
    found = compiled("CREATE RULE r ON sensors DO CALL go(?row.room AS where), EMIT hot(?row.room AS room, 1 AS n)")
    assert found.rule is not None
    assert [item.name for item in found.items] == ["0.where", "1.room", "1.n", f"1.{iri('bd:hasLocation')}"]
    assert all(item.hidden for item in found.items)
    assert [action.kind for action in found.rule.actions] == [ActionKind.CALL, ActionKind.EMIT]
    assert (found.called, found.name, found.streams) == ("r", None, ("hot",))


def test_a_change_has_the_keys_of_the_row() -> None:
    found = compiled("CREATE RULE r ON positions IF (?row.v < 10) DO INITIATE CONTEXT jam (?row.v AS slow)")
    (one,) = found.deriving
    assert found.changed_sets == ("road",)
    assert [item.name for item in one.items] == ["slow", "#key0"]
    assert one.change is not None
    assert one.change.keys == ("#key0",)


def test_the_text_is_normal() -> None:
    text = (
        "CREATE RULE r ON positions AS ?p IF (?p.v < 10) IF ASK { ?p_seg a <http://x/Road> } "
        "DO CALL go(?p.v * 2 AS v), EMIT slow(?p.car AS car), TERMINATE CONTEXT road.jam DEFERRED PRIORITY 3"
    )
    normal = compiled(text).normal
    assert compiled(normal).normal == normal
    assert normal.startswith("CREATE RULE r ON positions AS ?p IF (?p.v < 10) IF ASK { ?p <")
    assert normal.endswith("TERMINATE CONTEXT road.jam AT (?p.seg) DEFERRED PRIORITY 3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE RULE r ON positions DO CALL x(COUNT(?row) AS n)", "a rule looks at one row at a time"),
        ("CREATE RULE r ON positions DO CALL x() PRIORITY 0", "PRIORITY counts from 1, which is first"),
        ("CREATE RULE r ON positions DO SWITCH CONTEXT jam", "a rule is in none"),
        ("CREATE RULE r ON positions DO CALL x(1 AS a, 2 AS a)", "two items are named 'a'"),
        ("CREATE RULE r ON positions IF (1 = 1) DO CALL x()", "this IF mentions no event"),
        ("CREATE RULE positions ON positions DO CALL x()", "there is a stream 'positions' already"),
        ("CREATE RULE r ON positions DO CALL x(); CREATE RULE r ON calls DO CALL x()", "there is a rule 'r' already"),
        ("CREATE RULE r ON positions DO EMIT positions(1 AS car)", "events of 'positions' would bring about events"),
        (CIRCLE, "at the same time"),
        (
            "CREATE QUERY q AS SELECT ?c.seg FROM (?c, CONTEXTS(road)); CREATE RULE r ON q DO INITIATE CONTEXT jam",
            "changes of 'road' would change 'road'",
        ),
        (LATE + "CREATE RULE r ON q DO EMIT e(1 AS x)", "an event would be emitted in the past"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(QueryTypeError) as error:
        compiled(text)
    assert message in str(error.value)


def test_a_circle_that_time_goes_through_is_none() -> None:
    text = """
        CREATE RULE r ON positions DO EMIT a(1 AS x);
        CREATE QUERY later AS SELECT ?a.x FROM (?a, a) SEQ (?a, AFTER 1s);
        CREATE RULE t ON later DO EMIT a(?row.x AS x)
    """
    assert compiled(text).streams == ("a",)
