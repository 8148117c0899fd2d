"""IN CONTEXT: where the events of a query belong."""

from __future__ import annotations

from kaicep.language.checks import compile_document
from kaicep.language.nodes import InContext, Query, ValueType, expression_text
from support.roads import ROAD, ROADS
from support.vocabulary import iri


def query(text: str, before: str = ROAD) -> Query:
    """The last query behind a set of contexts."""
    return compile_document(before + text, ROADS)[-1]


def places(text: str, before: str = ROAD) -> dict[str, list[str]]:
    """Event variable → its keys."""
    asked = query(text, before).in_context
    assert isinstance(asked, InContext)
    return {place.variable: [expression_text(key) for key in place.keys] for place in asked.placements}


def test_every_event_belongs_somewhere_also_what_not_looks_at() -> None:
    text = "SELECT ?a.id FROM (?a, positions), (?n, calls) IN CONTEXT jam SEQ (NOT ?n FOR 5s, ?a)"
    assert places(text) == {"a": ["?a.seg"], "n": ["?n.segment"]}


def test_with_for_only_its_variables_belong_somewhere() -> None:
    text = "SELECT ?a.id FROM (?a, positions), (?b, sensors) IN CONTEXT jam FOR ?a SEQ (?a, ?b) WINDOW (?a, ?b, 1s)"
    assert places(text) == {"a": ["?a.seg"]}
    asked = query(text).in_context
    assert asked is not None
    assert asked.required == ("a",)


def test_an_attribute_that_stands_for_individuals_means_these() -> None:
    rooms = "CREATE CONTEXTS rooms (cool DEFAULT, hot) BY room;"
    where = iri("bd:hasLocation")
    for written in ("", "ON (?s: ?s.room)", "ON (?s: ?s.bd:hasLocation)"):
        text = f"SELECT ?s.id FROM (?s, sensors) IN CONTEXT hot {written}"
        assert places(text, rooms) == {"s": [f"?s.<{where}>"]}
        asked = query(text, rooms).in_context
        assert asked is not None
        assert asked.placements[0].keys[0].type is ValueType.IRI


def test_events_belong_by_what_their_paths_bind() -> None:
    """That is known of candidates only, so their columns have it."""
    rooms = "CREATE CONTEXTS rooms (cool DEFAULT, hot) BY place, v;"
    text = "SELECT ?s.id FROM (?s, sensors) IN CONTEXT hot ON (?s: (?in, ?s.degrees)) PATH {?s bd:hasLocation ?in}"
    [source] = query(text, rooms).sources
    assert source.bindings == (("in", ValueType.IRI),)
    assert source.columns == ("?in", "degrees", "id")


def test_columns_that_only_place_events_are_not_those_of_candidates() -> None:
    assert query("SELECT ?p.id FROM (?p, positions) IN CONTEXT jam").sources[0].columns == ("id",)


def test_a_set_without_keys_has_one_partition() -> None:
    assert places("SELECT ?p.id FROM (?p, positions) IN CONTEXT b", "CREATE CONTEXTS r (a DEFAULT, b);") == {"p": []}


def test_on_says_where_events_belong_in_sets_of_the_same_keys() -> None:
    both = ROAD + "CREATE CONTEXTS rail (free DEFAULT, late) BY seg;"
    asked = query("SELECT ?p.id FROM (?p, positions) IN CONTEXT jam, late ON (?p: ?p.seg - 1)", both).in_context
    assert asked is not None
    assert [(p.set, [expression_text(key) for key in p.keys]) for p in asked.placements] == [
        ("road", ["?p.seg - 1"]),
        ("rail", ["?p.seg - 1"]),
    ]
