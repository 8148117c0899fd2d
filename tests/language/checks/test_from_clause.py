"""FROM, and what is an event where it is left out."""

from __future__ import annotations

import pytest
from kaicep.errors import QueryTypeError
from kaicep.expressions import SIGNATURES
from kaicep.language.nodes import (
    Vocabulary,
)
from support.vocabulary import CAMPUS, TWO_STREAMS, compiled


def test_a_bare_event_in_a_path_is_found_without_from() -> None:
    assert [s.variable for s in compiled("SELECT ?e PATH {?e evt:hasSource ?src}").sources] == ["e"]
    assert [s.variable for s in compiled("SELECT ?src PATH {?e evt:hasSource ?src}").sources] == ["e"]


def test_from_names_every_event_and_its_stream() -> None:
    query = compiled(
        "SELECT ?b.celsius FROM (?a, airflowReport), (?b, temperatureReport) WINDOW (?a, ?b, 5min)", TWO_STREAMS
    )
    assert [(s.variable, s.stream.name) for s in query.sources] == [("a", "airflowReport"), ("b", "temperatureReport")]


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("SELECT ?b.sensorID, ?a.flowrate SEQ (?a, ?b) WINDOW (?a, ?b, 5min)", ["b", "a"]),
        ("SELECT ?x.* ", ["x"]),
        ("SELECT COUNT(?e) AS n WINDOW (?e, sliding, 5min)", ["e"]),
        ("SELECT ?a.flowrate SEQ (?a, NOT ?n, ?b+ UNTIL (?b.flowrate > 5)) WINDOW (?a, ?b, 5min)", ["a", "n", "b"]),
        ("SELECT ?loc PATH {?e evt:hasSource/bd:hasLocation ?loc}", ["e"]),
    ],
)
def test_what_is_used_as_an_event_is_one(text: str, variables: list[str]) -> None:
    """In the order of the text; what a PATH binds is none."""
    assert [source.variable for source in compiled(text).sources] == variables


@pytest.mark.parametrize(
    ("text", "vocabulary", "message"),
    [
        ("SELECT ?e.x FROM (?e, airflowReport), (?e, airflowReport)", CAMPUS, "FROM names ?e twice"),
        ("SELECT ?e.x FROM (?e, airReport)", CAMPUS, "unknown stream 'airReport'"),
        ("SELECT ?e.x", TWO_STREAMS, "FROM is missing, and the project has more than one stream"),
        ("SELECT ?e.x", Vocabulary({}, SIGNATURES), "FROM is missing"),
        ("SELECT 5 AS five", CAMPUS, "the query speaks of no event"),
    ],
)
def test_events_that_cannot_be_told(text: str, vocabulary: Vocabulary, message: str) -> None:
    with pytest.raises(QueryTypeError) as caught:
        compiled(text, vocabulary)
    assert caught.value.message == message
