"""An operator counts how many matches become how many rows, and what it asks of them."""

from __future__ import annotations

from kaicep.cep import build_operator
from kaicep.cep.output import ConditionCount
from support.operators import Reading, compiled, feed

STREAM: list[Reading] = [{"id": f"e{i}", "t": i, "n": n, "x": float(n)} for i, n in enumerate([3, 1, 2, 4])]
PAIR = "SELECT DISTINCT ?b.n AS n FROM (?a, readings), (?b, readings) JOIN (?a.x < ?b.x) SEQ (?a, ?b) {}"


def test_conditions_are_counted_where_matches_are_joined() -> None:
    query = compiled(PAIR.format("WINDOW (?a, ?b, 1h) HAVING ?b.n > 3"))
    operator = build_operator(query)
    before = operator.counts
    assert len(feed(operator, query, STREAM)) == 1
    found = operator.counts
    assert (found.found, found.standing, found.rows, found.reported) == (3, 3, 1, 1)
    assert {(c.clause, c.text): (c.asked, c.held) for c in found.conditions} == {
        ("JOIN", "?a.x < ?b.x"): (3, 3),
        ("HAVING", "?b.n > 3"): (4, 1),
    }
    assert [c.asked for c in before.conditions] == [0, 0], "what was counted once does not change"


def test_automata_count_matches_only() -> None:
    query = compiled(
        "SELECT ?a.n AS n FROM (?a, readings), (?b, readings) JOIN (?a.x < ?b.x) SEQ (?a, ?b+) WINDOW (?a, ?b, 1h) "
        "HAVING COUNT(?b) > 3"
    )
    operator = build_operator(query)
    assert feed(operator, query, STREAM) == []
    assert (operator.counts.found > 0, operator.counts.standing, operator.counts.conditions) == (True, 0, ())


def test_counts_add_up() -> None:
    count = ConditionCount("JOIN", "?a.x < ?b.x")
    count.add(3, 1)
    count.add(2, 0)
    assert (count.asked, count.held) == (5, 1)
