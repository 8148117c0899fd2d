"""What LIMIT lets through of matches, and when it has ended."""

from __future__ import annotations

from kaicep.cep import build_operator
from support.operators import Reading, compiled, events, feed

SELECTION = "SELECT ?e.n FROM (?e, readings)"


def reading(name: str, t: float, **values: object) -> Reading:
    return {"id": name, "t": t, **values}


def test_limit_ends_the_query() -> None:
    query = compiled(f"{SELECTION} LIMIT 2")
    operator = build_operator(query)
    assert events(feed(operator, query, [reading("a", 1)], until=2)) == ["a"]
    assert not operator.ended
    assert events(feed(operator, query, [reading("b", 2), reading("c", 3)], until=4)) == ["b"]
    assert operator.ended
    assert feed(operator, query, [reading("d", 4)]) == []
    again = build_operator(query)
    again.restore(operator.snapshot())
    assert again.ended
