"""The streams that rules emit: new ones, with the attributes of all EMITs, and declared ones."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.language.checks import compile_document
from kaicep.language.checks.rules.emissions import with_emissions
from kaicep.language.nodes import StreamType
from support.roads import ROADS


def streams(text: str) -> dict[str, StreamType]:
    """All streams with those that the rules of a text emit."""
    found = dict(ROADS.streams)
    for query in compile_document(text, ROADS):
        found = with_emissions(found, query)
    return found


def test_a_stream_has_the_attributes_of_all_its_emits() -> None:
    emits = "CREATE RULE a ON sensors DO EMIT e(?row.room AS room, 1 AS n); "
    emits += "CREATE RULE b ON sensors DO EMIT e(?row.room AS room, 1.5 AS n, 'x' AS s)"
    found = streams(emits)["e"]
    assert {a.name for a in found.attributes} == {"room", "n", "s", "_time"}
    kinds = {a.name: (a.type.value, a.individual) for a in found.attributes}
    assert kinds["room"] == ("string", True)
    assert kinds["n"][0] == "double"
    assert found.emitted


def test_what_rules_do_not_agree_about_nobody_says() -> None:
    found = streams(
        "CREATE RULE a ON sensors DO EMIT e(?row.room AS room); CREATE RULE b ON sensors DO EMIT e('hall' AS room)"
    )
    (room,) = [a for a in found["e"].attributes if a.name == "room"]
    assert (room.property, room.individual) == (None, False)


def test_a_declared_stream_stays_as_it_is() -> None:
    found = streams("CREATE RULE a ON sensors DO EMIT calls(?row.room AS kind)")["calls"]
    assert found.attributes == ROADS.streams["calls"].attributes
    assert "EVENTS(sensors)" in found.depends_on


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE RULE a ON sensors DO EMIT calls(1 AS kimd)", "stream 'calls' has no attribute 'kimd'"),
        ("CREATE RULE a ON sensors DO EMIT calls(?row.t AS t)", "takes the time of the row and not 't'"),
        ("CREATE RULE a ON sensors DO EMIT calls(1 AS kind)", "'kind' is an integer here"),
        (
            "CREATE QUERY q AS SELECT ?s.room FROM (?s, sensors); CREATE RULE a ON sensors DO EMIT q(1 AS room)",
            "'q' is what a query gives, and no rule adds to it",
        ),
        (
            "CREATE RULE a ON sensors DO EMIT e(1 AS x); CREATE RULE b ON sensors DO EMIT e('y' AS x)",
            "'x' is a string here, and an integer in stream 'e'",
        ),
        (
            "CREATE RULE a ON sensors DO EMIT e(1 AS x); CREATE QUERY e AS SELECT ?s.room FROM (?s, sensors)",
            "there is a stream 'e' already",
        ),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(QueryTypeError) as error:
        compile_document(text, ROADS)
    assert message in str(error.value)
