"""SELECT DISTINCT (docs/semantics.md 3.13)."""

from __future__ import annotations

from kaicep.cep import build_operator
from support.operators import Reading, answer, compiled, events, feed


def readings(*values: float | None) -> list[Reading]:
    return [{"id": f"e{i}", "t": i, "x": x} for i, x in enumerate(values)]


def test_unbound_nan_and_the_zeros_are_one_value_each() -> None:
    nan = float("nan")
    found = answer("SELECT DISTINCT ?e.x", readings(None, 0.0, nan, -0.0, None, nan, 1.0))
    assert events(found) == ["e0", "e1", "e2", "e6"]


def test_rows_of_earlier_calls_and_before_a_restart_count() -> None:
    query = compiled("SELECT DISTINCT ?e.x, ?e.n")
    operator = build_operator(query)
    assert events(feed(operator, query, readings(1.0, 2.0, 1.0), until=9)) == ["e0", "e1"]
    again = build_operator(query)
    again.restore(operator.snapshot())
    late = [{"id": "z", "t": 9, "x": 1.0}, {"id": "y", "t": 10, "x": 1.0, "n": 1}, {"id": "x", "t": 11, "x": 2.0}]
    assert events(feed(again, query, late)) == ["y"]


def test_limit_counts_the_rows_that_are_left() -> None:
    query = compiled("SELECT DISTINCT ?e.x LIMIT 2")
    operator = build_operator(query)
    assert events(feed(operator, query, readings(1.0, 1.0), until=9)) == ["e0"]
    assert not operator.ended
    assert events(feed(operator, query, [{"id": "z", "t": 9, "x": 2.0}])) == ["z"]
    assert operator.ended
