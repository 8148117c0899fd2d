"""What is there instead of what a pattern asks for."""

from __future__ import annotations

import pytest
from kaicep.explain.reasons.nearest_alternatives import nearest_alternative, part_text
from kaicep.explain.reasons.path_conjuncts import TriplePattern
from rdflib import Literal, URIRef, Variable
from rdflib.namespace import RDF
from support.reasons import EVENT, PREFIXES, node, view


def iri(name: str) -> URIRef:
    return URIRef(node(name).value)


@pytest.mark.parametrize(
    ("subject", "predicate", "value", "told"),
    [
        ("ee:s1", "bd:hasLocation", "bd:r2", "s1 has r1 as hasLocation, not r2"),
        ("ee:s1", "bd:partOf", None, "s1 has no partOf; it has hasLocation and sensorID"),
        ("bd:hall", "bd:partOf", None, "hall has no partOf; the other way round, floor and r1 has it"),
        ("ee:s1", "hvc:limit", None, "s1 has no limit; it has hasLocation and sensorID"),
        (None, "bd:partOf", "bd:r2", "nothing has r2 as partOf; there are floor and hall"),
        (None, "bd:serves", None, "nothing has serves"),
    ],
)
def test_a_property_has_other_values_or_none(subject: str | None, predicate: str, value: str | None, told: str) -> None:
    start = Variable("s") if subject is None else iri(subject)
    end = Variable("o") if value is None else iri(value)
    pattern = TriplePattern(start, iri(predicate), end)
    with view() as one:
        found = nearest_alternative(one, pattern, {}, EVENT, lambda _: "")
    for name in PREFIXES:
        found = found.replace(f"<{PREFIXES[name]}", "").replace(">", "")
    assert found == told


def test_a_class_is_told_with_what_both_are() -> None:
    pattern = TriplePattern(iri("bd:r2"), RDF.type, iri("bd:Office"))
    with view() as one:
        told = nearest_alternative(one, pattern, {}, EVENT, lambda _: "")
    assert told == "<urn:bd#r2> is a <urn:bd#Lab>, no <urn:bd#Office>; nearest: both are <urn:bd#Room>"


def test_a_value_that_names_no_individual_asks_what_is_near() -> None:
    pattern = TriplePattern(Variable("s"), iri("bd:hasLocation"), Variable("r"))
    with view("D1-flw") as one:
        (bound,) = one.solutions(f"<{EVENT.replace('flow', 'flw')}> <{PREFIXES['evt']}hasSource> ?s", {}, 1)
        told = nearest_alternative(one, pattern, bound, EVENT, lambda term: f": like {term}?")
    assert told == '"D1-flw" is no individual: like "D1-flw"?'


def test_what_the_knowledge_does_not_speak_of_asks_what_is_near() -> None:
    """Where a template makes the IRI, the event alone speaks of it."""
    pattern = TriplePattern(iri("ee:s9"), RDF.type, iri("ee:Sensor"))
    with view() as one:
        told = nearest_alternative(one, pattern, {}, EVENT, lambda term: f"; like {term}")
    assert told == "the knowledge says nothing of <urn:ee#s9>; like <urn:ee#s9>"


def test_parts_are_written_with_their_values() -> None:
    with view() as one:
        assert part_text(one, Variable("r"), {"r": node("bd:r1")}) == "<urn:bd#r1>"
        assert part_text(one, Variable("r"), {}) == "?r"
        assert part_text(one, Literal(5), {}) == "5"
