"""SPARQL for the keys that have no verdict yet, in a private copy of the knowledge."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from kaicep.language.nodes import ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter.plan import ResidualQuery
from kaicep.semfilter.runtime.evaluate import (
    KeyEvent,
    ScratchStore,
    batch_query,
    distinct_solutions,
    evaluate_events,
    query_solutions,
    single_event_query,
)

KNOWLEDGE = KnowledgeBase.of_turtle("<urn:s1> <urn:in> <urn:r2>, <urn:r1> . <urn:s2> <urn:in> <urn:r2> .", "none")
BODY = "?e <urn:source> ?s . ?s <urn:in> ?room ."


def residual(
    body: str = BODY, unbatchable: str | None = None, classes: tuple[str, ...] = (), room: bool = True
) -> ResidualQuery:
    bindings = (("room", ValueType.IRI),) if room else ()
    return ResidualQuery("e", body, bindings, (), (), identified=False, classes=classes, unbatchable=unbatchable)


def sensor(name: str, event: str | None = None) -> KeyEvent:
    return KeyEvent(event, ((("urn:source",), ox.NamedNode(f"urn:{name}")),))


def test_the_event_stands_for_its_variable() -> None:
    event = ox.NamedNode("urn:event")
    assert single_event_query(residual(), event).replace("\n", "") == (
        "SELECT DISTINCT ?room { <urn:event> <urn:source> ?s . ?s <urn:in> ?room .}"
    )


def test_many_events_are_asked_about_at_once() -> None:
    events = [ox.NamedNode("urn:a"), ox.NamedNode("urn:b")]
    assert batch_query(residual(room=False), events).startswith(
        "SELECT DISTINCT ?e  { VALUES ?e { <urn:a> <urn:b> } ?e "
    )


@pytest.mark.parametrize(("unbatchable", "buffer"), [(None, True), (None, False), ("it has a MINUS", True)])
def test_solutions_are_distinct_sorted_and_the_same_however_they_are_evaluated(
    unbatchable: str | None, buffer: bool
) -> None:
    events = [sensor("s1"), sensor("nobody"), sensor("s2")]
    found = evaluate_events(residual(unbatchable=unbatchable), ScratchStore.of(KNOWLEDGE), events, buffer=buffer)
    assert [[str(room) for (room,) in solutions] for solutions in found] == [["<urn:r1>", "<urn:r2>"], [], ["<urn:r2>"]]


def test_more_events_than_a_query_takes_are_evaluated_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaicep.semfilter.runtime.evaluate._TOGETHER", 2)
    found = evaluate_events(residual(), ScratchStore.of(KNOWLEDGE), [sensor("s2")] * 5)
    assert [len(solutions) for solutions in found] == [1] * 5


def test_events_come_and_go_and_the_knowledge_stays_as_it_is() -> None:
    scratch, before = ScratchStore.of(KNOWLEDGE), len(KNOWLEDGE.store)
    evaluate_events(residual(classes=("urn:Report",)), scratch, [sensor("s1"), sensor("s2")])
    assert len(scratch.store) == len(KNOWLEDGE.store) == before


def test_an_event_is_of_its_classes_where_these_are_seen() -> None:
    asked = residual("?e a <urn:Report>", classes=("urn:Report",), room=False)
    assert evaluate_events(asked, ScratchStore.of(KNOWLEDGE), [sensor("s1")]) == [[()]]
    assert evaluate_events(residual("?e a <urn:Report>", room=False), ScratchStore.of(KNOWLEDGE), [sensor("s1")]) == [
        []
    ]


def test_an_event_that_is_told_from_others_has_its_own_name() -> None:
    asked = residual(
        "?e <urn:source> ?s . FILTER (STR(?e) = 'urn:event:7')", unbatchable="it uses ?e as a value", room=False
    )
    events = [sensor("s1", "urn:event:7"), sensor("s1", "urn:event:8")]
    one, other = evaluate_events(asked, ScratchStore.of(KNOWLEDGE), events)
    assert (len(one), len(other)) == (1, 0)


def test_filters_over_one_knowledge_base_share_its_copy() -> None:
    other = KnowledgeBase.empty()
    assert ScratchStore.of(KNOWLEDGE) is ScratchStore.of(KNOWLEDGE)
    assert ScratchStore.of(KNOWLEDGE) is not ScratchStore.of(other)


def test_what_is_no_select_has_no_solutions() -> None:
    with pytest.raises(TypeError):
        list(query_solutions(ox.Store().query("ASK { ?s ?p ?o }")))


def test_distinct_solutions() -> None:
    a, b = ox.NamedNode("urn:a"), ox.NamedNode("urn:b")
    assert distinct_solutions([(b,), (a,), (b,)]) == [(a,), (b,)]
