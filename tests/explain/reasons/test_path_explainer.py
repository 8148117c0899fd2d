"""Why the PATHs of an event variable hold for an event, or why not."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from kaicep import Project
from kaicep.explain.reasons import PathExplainer, Reason
from kaicep.language.nodes import AllOf, AnyOf, Semantics, ValueType
from kaicep.ontology import KnowledgeBase
from support.reasons import PREFIXES, annotated, campus, mapping
from support.subqueries import source, subquery

AT = f"?e <{PREFIXES['evt']}hasSource> ?s . ?s <{PREFIXES['bd']}hasLocation> ?r"
ROOM = subquery(AT)
LAB = subquery(f"{AT} . ?r a <{PREFIXES['bd']}Lab>")


def explained(
    semantics: Semantics | None, sensor: str = "D1-flow", chosen: Mapping[str, object] | None = None
) -> Reason | None:
    types = {"w": ValueType.IRI} if chosen else {}
    return PathExplainer(campus()).explain(source(semantics, types), mapping(), annotated(sensor), chosen)


def test_without_paths_there_is_no_reason() -> None:
    assert explained(None) is None


def test_and_needs_both_and_or_one() -> None:
    both, either = explained(AllOf((ROOM, LAB))), explained(AnyOf((LAB, ROOM)))
    assert both is not None
    assert either is not None
    assert (both.text, both.holds, [part.holds for part in both.parts]) == ("all of", False, [True, False])
    assert (either.text, either.holds, [part.holds for part in either.parts]) == ("any of", True, [False, True])


def test_the_solution_that_was_chosen_is_explained() -> None:
    floor = subquery(f"{AT} . ?r <{PREFIXES['bd']}partOf> ?w", ["w"])
    for place in ("floor", "hall"):
        reason = explained(floor, chosen={"w": f"{PREFIXES['bd']}{place}"})
        assert reason is not None
        assert place in reason.parts[-1].text


def test_a_value_with_a_slip_is_told_what_it_should_have_been() -> None:
    reason = explained(ROOM, "D1-flw")
    assert reason is not None
    assert "sensor is linked to nothing" in reason.parts[-1].note
    assert 'nearest: "D1-flow"' in reason.parts[-1].note


SHARED = KnowledgeBase.of_turtle(
    """@prefix ee: <urn:ee#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix bd: <urn:bd#> .
    ee:s1 a ee:Sensor ; rdfs:label "one" . ee:s2 a ee:Sensor ; rdfs:label "one" ; bd:hasLocation bd:r1 .
    ee:s3 a ee:Sensor ; rdfs:label "Three" . bd:r1 a bd:Room ; rdfs:label "room" ."""
)


def local_names(text: str) -> str:
    return re.sub(r"<[^<>]*[#/](\w+)>", r"\1", text)


@pytest.mark.parametrize(
    ("link", "sensor", "note"),
    [
        ({"key": "rdfs:label"}, "one", "it fits s1 and s2, so sensor stands for none of them"),
        (
            {"key": "rdfs:label", "of_class": "ee:Sensor"},
            "room",
            "no Sensor has this rdfs:label, so sensor is linked to nothing",
        ),
        (
            {"key": "rdfs:label"},
            "three",
            'nothing has this rdfs:label, so sensor is linked to nothing; nearest: "Three", which is s3',
        ),
        ({"individual": "{}"}, "s 1", "it makes no IRI, so sensor is linked to nothing"),
        ({"individual": "ee:{}"}, "s33", 'the knowledge says nothing of s33; nearest: "s3", which is s3'),
    ],
)
def test_why_an_id_stands_for_nobody(link: dict[str, str], sensor: str, note: str) -> None:
    attributes = {"sensor": {"property": "evt:hasSource", **link}}
    stream = {"event_type": "evt:R", "time": {"attribute": "at"}, "attributes": attributes}
    project = Project.parse({"prefixes": PREFIXES, "streams": {"air": stream}}).with_knowledge(SHARED)
    query = "SELECT ?e.sensor FROM (?e, air) PATH { ?e evt:hasSource ?s . ?s bd:hasLocation ?r }"
    found = project.why(query, {"sensor": sensor, "at": "2026-01-01T00:00:00Z"})
    assert local_names(found.candidacies[0].clauses[0].parts[-1].note).endswith(note)


def test_an_individual_found_by_a_reference_is_given_by_its_file() -> None:
    text = """@prefix ee: <urn:ee#> . @prefix ref: <https://brickschema.org/schema/Brick/ref#> .
    ee:s1 ref:hasExternalReference [ ref:hasTimeseriesId "4f1" ] ."""
    attributes = {"sensor": {"property": "evt:hasSource", "key": "ref:hasTimeseriesId"}}
    stream = {"event_type": "evt:R", "time": {"attribute": "at"}, "attributes": attributes}
    prefixes = {**PREFIXES, "ref": "https://brickschema.org/schema/Brick/ref#"}
    project = Project.parse({"prefixes": prefixes, "streams": {"air": stream}})
    known = project.with_knowledge(KnowledgeBase.of_turtle(text, source="points.ttl"))
    query = "SELECT ?e.sensor FROM (?e, air) PATH { ?e evt:hasSource ee:s1 }"
    told = local_names(str(known.why(query, {"sensor": "4f1", "at": "2026-01-01T00:00:00Z"})))
    assert 'sensor is "4f1", the hasTimeseriesId of s1, says points.ttl' in told
