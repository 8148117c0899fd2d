"""A name of a PATH that no loaded knowledge mentions is a warning: knowledge may come later."""

from __future__ import annotations

import pytest
from support.text_pairs import Case, each_case, outcome
from support.vocabulary import compiled


@each_case("warnings")
def test_warnings(case: Case) -> None:
    assert outcome(case.queries()) == case.expected


@pytest.mark.parametrize(
    "path",
    [
        "?e evt:hasSource ?s . ?s a ee:AirflowSensor",
        "?e hvc:flowrate ?x",
        "?e a evt:AirflowReport",
        "?e evt:hasSource ?s . ?s rdfs:seeAlso ?x",
    ],
    ids=["knowledge", "an attribute's alias", "the stream's event type", "a standard vocabulary"],
)
def test_what_is_known_is_no_warning(path: str) -> None:
    assert compiled(f"SELECT ?e FROM (?e, airflowReport) PATH {{{path}}}").warnings == ()


def test_each_term_is_told_once_and_by_what_it_is() -> None:
    text = (
        "SELECT ?e FROM (?e, airflowReport) PATH {?e bd:aria/bd:aria ?x . ?x a bd:Ofice . ?x bd:belongsTo org:Nobody}"
    )
    messages = [warning.splitlines()[0] for warning in compiled(text).warnings]
    assert sorted(message.partition(": ")[2] for message in messages) == [
        "unknown class bd:Ofice",
        "unknown individual org:Nobody",
        "unknown property bd:aria",
    ]
