"""What several operators do in one call: the rows, the state and the counts of each are those that it has alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from kaicep import KaicepError
from kaicep.cep import END_OF_TIME, JointMember, JointOperator, Limits, QueryOperator, alike_form, build_operator
from support.operators import Reading, at, candidates, compiled

READINGS: list[Reading] = [
    {"id": f"e{t:02}", "t": t, "n": t * 7 % 10, "x": t * 3 % 7 / 2, "sensor": "ab"[t % 2]} for t in range(40)
]
PAIR = """CREATE QUERY {name} AS SELECT ?a.n AS a, ?b.n AS b FROM (?a, readings), (?b, readings)
FILTER (?a.n > {limit}) JOIN (?a.sensor = ?b.sensor AND ?a.x < ?b.x) SEQ (?a, ?b) WINDOW (?a, ?b, 9s)"""
MEAN = """CREATE QUERY {name} AS SELECT AVG(?e.x) > {limit} AS mean, COUNT(?e) AS n FROM (?e, readings)
WINDOW (?e, {window}) GROUP BY ?e.sensor"""
PLAIN = "CREATE QUERY {name} AS SELECT ?e.n * 2 AS n FROM (?e, readings) FILTER (?e.n < {limit})"
TEXTS = [PAIR, MEAN.replace("{window}", "sliding, 5s"), MEAN.replace("{window}", "session, 2s"), PLAIN]


def operators(text: str, limits: Limits | None = None) -> list[QueryOperator]:
    """Of three queries with constants and names of their own."""
    said = [text.format(name=f"q{place}", limit=place) for place in range(3)]
    return [build_operator(compiled(one), limits=limits) for one in said]


def member(operator: QueryOperator, readings: Sequence[Reading]) -> JointMember:
    form = alike_form(operator.query)
    assert form is not None
    return JointMember(operator, form, candidates(operator.query, readings))


def joint(of: Sequence[QueryOperator], limits: Limits | None = None) -> JointOperator:
    form = alike_form(of[0].query)
    assert form is not None
    return JointOperator(form, limits or Limits())


@pytest.mark.parametrize("text", TEXTS)
def test_each_has_the_rows_the_state_and_the_counts_that_it_has_alone(text: str) -> None:
    """Also where it is alone in between, and where what waits for the watermark comes late."""
    several, alone = operators(text), operators(text)
    together = joint(several)
    for first in range(0, len(READINGS), 8):
        batch = list(reversed(READINGS[first : first + 8]))
        watermark = at(first + 6)
        expected = [one.process(candidates(one.query, batch), watermark) for one in alone]
        if first == 16:
            found = [one.process(candidates(one.query, batch), watermark) for one in several]
        else:
            rows = together.rows([member(one, batch) for one in several], watermark)
            found = [one.no_rows if of is None else of for one, of in zip(several, rows, strict=True)]
        assert [of.to_pylist() for of in found] == [of.to_pylist() for of in expected]
        assert [one.due for one in several] == [one.due for one in alone]
    assert [one.counts for one in several] == [one.counts for one in alone]
    for one, other in zip(several, alone, strict=True):
        resumed = build_operator(one.query)
        resumed.restore(one.snapshot())
        assert resumed.process({}, END_OF_TIME).to_pylist() == other.process({}, END_OF_TIME).to_pylist()


def test_who_asks_for_too_much_together_is_as_before() -> None:
    limits = Limits(rows_per_batch=9)
    several, alone = operators(PAIR, limits), operators(PAIR, limits)
    for one in (*several, *alone):
        one.process(candidates(one.query, READINGS[:4]), at(4))
    with pytest.raises(KaicepError, match="9 matches"):
        joint(several, limits).rows([member(one, READINGS[4:12]) for one in several], at(12))
    for one, other in zip(several, alone, strict=True):
        batch = candidates(one.query, READINGS[4:12])
        assert one.process(batch, at(12)).to_pylist() == other.process(batch, at(12)).to_pylist()
        assert one.snapshot() == other.snapshot()
