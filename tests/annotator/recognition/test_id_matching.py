"""Ids find the individuals that they name, whatever they name them by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaicep.annotator.recognition import match_ids
from kaicep.ontology import KnowledgeBase

MODEL = KnowledgeBase.of_turtle(
    """@prefix ex: <http://example.org/b#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix brick: <https://brickschema.org/schema/Brick#> . @prefix ref: <https://brickschema.org/schema/Brick/ref#> .
    ex:SAT-1 a brick:Sensor ; rdfs:label "AHU 1 SAT" ; ex:meter 4711 ;
        ref:hasExternalReference [ a ref:TimeseriesReference ; ref:hasTimeseriesId "4f1c" ] .
    ex:SAT-2 a brick:Sensor ; rdfs:label "AHU 2 SAT" ; ex:meter 4712 ;
        ref:hasExternalReference [ a ref:TimeseriesReference ; ref:hasTimeseriesId "5f1c" ] .
    <http://example.org/b#ahu/1/co2> a brick:Sensor ; rdfs:label "Room 101" .
    <http://example.org/b#ahu/2/co2> a brick:Sensor ; rdfs:label "Room 102" .
    <http://example.org/b#a%20b> a brick:Sensor ; rdfs:label "Twice" .
    ex:room a brick:Room ; rdfs:label "Twice" .""",
    "none",
)
B = "http://example.org/b#"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


@pytest.mark.parametrize(
    ("ids", "template", "key", "ignore_case"),
    [
        (["SAT-1", "SAT-2"], f"{B}{{}}", None, False),
        (["sat-1", "SAT-2"], f"{B}{{}}", None, True),
        ([f"{B}SAT-1", f"{B}ahu/1/co2"], "{}", None, False),
        (["ahu/1/co2", "ahu/2/co2"], f"{B}{{+}}", None, False),
        (["1/co2", "nobody"], f"{B}ahu/{{+}}", None, False),
        (["a b"], f"{B}{{}}", None, False),
        (["4f1c", "5f1c"], None, "https://brickschema.org/schema/Brick/ref#hasTimeseriesId", False),
        (["4711", "4712"], None, f"{B}meter", False),
        (["AHU 1 SAT", "Room 101"], None, LABEL, False),
        (["ahu 1 sat", "Room 101"], None, LABEL, True),
    ],
)
def test_the_best_way_is_found(
    ids: list[str],
    template: str | None,
    key: str | None,
    ignore_case: bool,  # a case
) -> None:
    best = match_ids(ids, MODEL)[0]
    assert (best.template, best.key, best.ignore_case) == (template, key, ignore_case)
    assert set(best.named) | set(best.unknown) == set(ids)


def test_most_ids_decide() -> None:
    best = match_ids(["SAT-1", "AHU 1 SAT", "Room 101", "who"], MODEL)[0]
    assert (best.key, best.unknown) == (LABEL, ("SAT-1", "who"))
    assert best.share == 0.5


def test_an_id_that_fits_several_names_none() -> None:
    assert match_ids(["Twice"], MODEL) == ()


def test_ids_of_another_building() -> None:
    assert match_ids(["x", "y"], MODEL) == ()
    assert match_ids([], MODEL) == ()


@given(st.sets(st.text("abcXYZ019_-./ äé%", min_size=1, max_size=8), min_size=1, max_size=6))
def test_whatever_a_template_names_is_there(ids: set[str]) -> None:
    """Written as labels, ids are found by them; and each by the very individual that has it."""
    listed = sorted(ids)
    lines = [f'<urn:x:{i}> a <urn:C> ; <{LABEL}> "{text}" .' for i, text in enumerate(listed)]
    best = match_ids(listed, KnowledgeBase.of_turtle("\n".join(lines), "none"))[0]
    if best.key == LABEL:
        assert best.named == {text: f"urn:x:{i}" for i, text in enumerate(listed)}
    else:  # ids such as "0" are parts of IRIs as well
        assert len(best.named) == len(listed)
