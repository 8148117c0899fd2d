"""The triples of an event say who gives them."""

from __future__ import annotations

from kaicep.explain.reasons.event_triples import event_triples
from kaicep.explain.reasons.event_view import EventView
from support.reasons import annotated, campus, mapping


def told(sensor: str = "D1-flow") -> dict[str, str | None]:
    """By property: what is said of the triple, `None` for what follows."""
    one = mapping()
    found = event_triples(EventView(campus(), {}), one.shape, annotated(sensor), one.linkers)
    return {f"{t.predicate.value.rpartition('#')[2]} {t.object.value}": words for t, words in found.items()}  # type: ignore[union-attr]  # none is quoted


def test_values_are_given_by_their_attributes() -> None:
    assert told()["airflow 430.0"] == "flow is 430.0"
    assert told()["hasTime 2026-01-01T00:00:00Z"] == "at is 2026-01-01T00:00:00Z"
    assert told()["type urn:evt#Report"] == "every event of air is one"


def test_an_individual_is_given_by_its_key_and_who_states_it() -> None:
    assert told()["hasSource urn:ee#s1"] == 'sensor is "D1-flow", the <urn:ee#sensorID> of <urn:ee#s1>, says turtle'


def test_what_follows_is_given_by_nobody() -> None:
    assert told()["type urn:evt#Event"] is None
    assert told()["hasOrigin urn:ee#s1"] is None


def test_a_value_that_names_no_individual_stays_a_literal() -> None:
    assert told("D9")["hasSource D9"] == "sensor is D9"
