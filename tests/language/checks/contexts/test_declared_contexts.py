"""What deriving queries say of sets of contexts, over several documents."""

from __future__ import annotations

from dataclasses import replace

from kaicep.language.checks.contexts import idle_contexts, known_contexts
from kaicep.language.checks.query_compiler import checked_document
from kaicep.language.nodes import COMPANION, AttributeType, ContextSet, KnownContexts, Query, ValueType
from support.roads import ROAD, ROADS

INITIATE = "INITIATE CONTEXT jam (?e.v AS speed, 1 AS n) FROM (?e, positions);"


def known(*texts: str) -> dict[str, KnownContexts]:
    """The sets after documents, each read with what the ones before it said."""
    sets: list[ContextSet] = []
    queries: list[Query] = []
    for text in texts:
        document = checked_document(text, replace(ROADS, contexts=known_contexts(sets, queries)))
        sets += document.sets
        queries += document.queries
    return known_contexts(sets, queries)


def test_windows_have_the_attributes_of_all_queries_that_initiate_them() -> None:
    more = "INITIATE CONTEXT jam (?e.car AS speed, ?e.lane) FROM (?e, positions);TERMINATE CONTEXT jam FROM (?e, calls)"
    for documents in ([ROAD + INITIATE + more], [ROAD, INITIATE, more]):
        road = known(*documents)["road"]
        types = {"speed": ValueType.DOUBLE, "n": ValueType.INTEGER, "lane": ValueType.STRING}
        assert road.attributes == {"jam": tuple(AttributeType(name, of) for name, of in types.items())}
        assert road.initiated == {"jam"}


def test_they_keep_units_and_the_doubles_beside_integers_that_may_leave_64_bits() -> None:
    length = "http://qudt.org/vocab/unit/M"
    text = f"INITIATE CONTEXT jam (?e.car + 1 AS more, 5 <{length}> AS far) FROM (?e, positions)"
    assert known(ROAD + text)["road"].attributes["jam"] == (
        AttributeType(f"more{COMPANION}", ValueType.DOUBLE),
        AttributeType("more", ValueType.INTEGER),
        AttributeType("far", ValueType.INTEGER, unit=length),
    )


def test_a_later_document_knows_them() -> None:
    vocabulary = replace(ROADS, contexts=known(ROAD + INITIATE))
    text = "SELECT ?w.speed FROM (?e, positions) IN CONTEXT jam AS ?w"
    [query] = checked_document(text, vocabulary).queries
    assert query.items[0].type is ValueType.DOUBLE
    assert query.context_sets == (vocabulary.contexts["road"].set,)


def test_switch_initiates_too() -> None:
    assert known(ROAD + "SWITCH CONTEXT jam FROM (?e, positions) IN CONTEXT clear")["road"].initiated == {"jam"}


def test_what_a_set_depends_on_is_kept() -> None:
    city = "CREATE CONTEXTS city (calm DEFAULT, stuck); INITIATE CONTEXT stuck FROM (?c, CONTEXTS(road))"
    found = known(ROAD + INITIATE + city)
    assert found["city"].depends_on == {"road", "EVENTS(CONTEXTS(road))"}
    assert found["road"].depends_on == {"EVENTS(positions)"}


def test_a_context_that_nothing_initiates_is_warned_of() -> None:
    """Over all documents, not over one of them; calendars and defaults begin by themselves."""
    hours = "CREATE CONTEXTS hours (closed DEFAULT, open DURING '08:00-18:00');"
    document = checked_document(ROAD + hours, ROADS, "road.chi")
    warnings = idle_contexts(known_contexts(document.sets, ()))
    assert [warning.splitlines()[0] for warning in warnings] == [
        "road.chi:1:38: nothing ever initiates context 'jam' of 'road'",
        "road.chi:1:43: nothing ever initiates context 'accident' of 'road'",
    ]
    more = checked_document(INITIATE, replace(ROADS, contexts=known_contexts(document.sets, ())))
    assert len(idle_contexts(known_contexts(document.sets, more.queries))) == 1


def test_sets_that_only_queries_speak_of_are_known() -> None:
    document = checked_document(ROAD + INITIATE, ROADS)
    assert known_contexts((), document.queries) == known_contexts(document.sets, document.queries)
