"""Triples that are read when somebody asks for them, once."""

from __future__ import annotations

from kaicep.ontology.modules.unread_triples import UnreadTriples
from pyoxigraph import NamedNode, Triple

TRIPLES = [Triple(NamedNode(f"urn:{n}"), NamedNode("urn:p"), NamedNode("urn:o")) for n in range(3)]


def test_their_number_is_known_and_they_are_read_once() -> None:
    readings: list[int] = []

    def read() -> list[Triple]:
        readings.append(1)
        return TRIPLES

    unread = UnreadTriples(3, read)
    assert len(unread) == 3
    assert not readings
    assert list(unread) == TRIPLES
    assert unread[1] == TRIPLES[1]
    assert list(unread[1:]) == TRIPLES[1:]
    assert readings == [1]
