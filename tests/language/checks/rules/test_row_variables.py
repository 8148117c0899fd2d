"""The attributes of a row as variables of IF ASK."""

from __future__ import annotations

from kaicep.language.checks.rules.row_variables import row_triples
from kaicep.language.source_text import Span
from support.roads import SENSORS
from support.vocabulary import iri


def test_each_attribute_has_the_triple_that_binds_it() -> None:
    found = row_triples("r", SENSORS, Span(0, 1))
    assert [token.text for token in found["r_room"]] == ["?r", f"<{iri('bd:hasLocation')}>", "?r_room", "."]
    assert [token.text for token in found["r_degrees"]][1] == "<urn:kaicep:attribute:sensors:degrees>"
    assert set(found) == {"r_id", "r_room", "r_degrees", "r_t"}
