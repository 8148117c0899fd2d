"""What PATHs ask for and nothing has."""

from __future__ import annotations

from kaicep import Project
from kaicep.explain.mapping.unpopulated_terms import unpopulated_terms
from kaicep.language.nodes import Subquery
from kaicep.ontology import KnowledgeBase

KNOWLEDGE = KnowledgeBase.of_turtle("""
@prefix new: <http://v2/> . @prefix old: <http://v1/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
new:Sensor a owl:Class . new:Other a owl:Class . new:hasPoint a owl:ObjectProperty .
<urn:s> a old:Sensor ; old:hasPoint <urn:p> . <urn:t> a old:Sensor .
""")
PROJECT = Project.parse(
    {
        "prefixes": {"new": "http://v2/", "old": "http://v1/", "ex": "urn:"},
        "streams": {
            "air": {
                "event_type": "ex:Reading",
                "time": {"attribute": "at"},
                "attributes": {"sensor": {"property": "ex:sensor", "individual": "ex:{}"}},
            }
        },
    }
)


def path(body: str) -> list[Subquery]:
    (query,) = PROJECT.compile(f"SELECT ?e.sensor PATH {{ {body} }}")
    found = query.sources[0].semantics
    assert isinstance(found, Subquery)
    return [found]


def told(body: str) -> list[str]:
    return unpopulated_terms(path(body), KNOWLEDGE, ["urn:Reading", "urn:sensor"])


def test_a_class_of_another_version_is_named_with_the_model_s() -> None:
    (line,) = told("?e ex:sensor ?s . ?s a new:Sensor")
    assert line == (
        "<http://v2/Sensor> is a class of the knowledge, but no individual belongs to it; <http://v1/Sensor> has 2 "
        "individuals: the model speaks of http://v1/, the query of http://v2/, perhaps another version; ask for the "
        "model's, or load an ontology that relates them"
    )


def test_so_is_a_property() -> None:
    (line,) = told("?e ex:sensor ?s . ?s new:hasPoint ?p")
    assert line.startswith(
        "<http://v2/hasPoint> is a property of the knowledge, but nothing has it; <http://v1/hasPoint>"
    )


def test_what_has_no_namesake_is_told_with_the_nearest_name() -> None:
    assert told("?e ex:sensor ?s . ?s a old:Sensors") == ["<http://v1/Sensors> is no class; did you mean 'Sensor'?"]
    assert told("?e ex:sensor ?s . ?s a new:Other") == [
        "<http://v2/Other> is a class of the knowledge, but no individual belongs to it"
    ]


def test_what_the_events_or_the_model_have_is_not_told() -> None:
    assert told("?e a ex:Reading ; ex:sensor ?s . ?s a old:Sensor ; old:hasPoint ?p") == []
