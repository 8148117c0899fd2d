"""What queries are checked against: the states of others among it."""

from __future__ import annotations

from kaicep.language.checks import known_state
from support.vocabulary import compiled


def test_a_state_knows_what_its_query_binds() -> None:
    query = compiled("SELECT ?a.sensorID SEQ (?a, NOT ?n, ?b+) WINDOW (?a, ?b, 5s)")
    known = known_state(query)
    assert (list(known.variables), known.runs) == (["a", "b"], frozenset("b"))
    assert (known.partial, known.refusal) == (True, None)
    assert known.query is query
