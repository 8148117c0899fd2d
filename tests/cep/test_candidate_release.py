"""Candidates go to the kernel when the watermark has passed them, in total order."""

from __future__ import annotations

from kaicep.cep import build_operator
from support.operators import Reading, answer, candidates, compiled, events, feed

SELECTION = "SELECT ?e.n FROM (?e, readings)"


def reading(name: str, t: float, **values: object) -> Reading:
    return {"id": name, "t": t, **values}


def test_candidates_wait_for_the_watermark_and_come_in_total_order() -> None:
    query = compiled(SELECTION)
    operator = build_operator(query)
    assert events(feed(operator, query, [reading("c", 2), reading("b", 1), reading("a", 1)], until=1)) == []
    assert events(feed(operator, query, [reading("d", 1)], until=2)) == ["a", "b", "d"]
    assert events(feed(operator, query, [])) == ["c"]


def test_ids_are_ordered_by_code_points() -> None:
    names = ["ü", "z", "Z", "a/2", "a/10", "\U0001f600", "\uffff"]
    assert events(answer(SELECTION, [reading(name, 0) for name in names])) == sorted(names)


def test_unknown_watermark_holds_everything_back() -> None:
    query = compiled(SELECTION)
    operator = build_operator(query)
    assert operator.process(candidates(query, [reading("a", 1)]), None).num_rows == 0
    assert events(feed(operator, query, [], until=2)) == ["a"]
