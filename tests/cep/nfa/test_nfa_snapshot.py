"""An operator that is restored from a snapshot goes on as if nothing had happened, wherever it is taken."""

from __future__ import annotations

import pytest
from kaicep.cep import build_operator
from support.operators import Reading, compiled, feed

HEAD = (
    "SELECT COUNT(?b) AS n FROM (?a, readings), (?b, readings), (?c, readings) "
    "FILTER (?a.n = 1) FILTER (?b.n = 2) FILTER (?c.n = 3) "
)
PATTERNS = ("?a ->> ?b+ ->> ?c", "?a -> ?b{1,; ->} -> ?c", "?a -> ?b{1,2; ->}", "(?a -> ?b){1,2; ->} -> NOT ?c FOR 2s")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_state_comes_back_after_each_event(pattern: str) -> None:
    matched = "?a, ?b" if "?c" not in pattern or "NOT" in pattern else "?a, ?b, ?c"
    text = HEAD
    if "?c" not in pattern:
        text = text.replace(", (?c, readings)", "").replace(" FILTER (?c.n = 3)", "")
    query = compiled(f"{text} SEQ ({pattern}) WINDOW ({matched}, 1h)")
    readings: list[Reading] = [{"id": f"e{i:02}", "t": i, "n": 1 + "abc".index(k)} for i, k in enumerate("aabbcabcc")]
    whole, cut = build_operator(query), build_operator(query)
    expected, found = [], []
    for i, reading in enumerate(readings):
        until = None if i + 1 == len(readings) else i + 0.5
        expected += feed(whole, query, [reading], until)
        found += feed(cut, query, [reading], until)
        state, cut = cut.snapshot(), build_operator(query)
        cut.restore(state)
        assert cut.snapshot() == state
    assert found == expected


def test_what_began_since_comes_back_beside_a_match_that_waits_where_nothing_else_was_left() -> None:
    """A partition is forgotten when it is empty, though a match of it waits; the next event makes it anew."""
    text = HEAD + "SEQ (?a -> ?b{2; ->} -> NOT ?c FOR 1min) WINDOW (?a, ?b, 2s)"
    query = compiled(text)
    early: list[Reading] = [{"id": "e0", "t": 0, "n": 1}]
    early += [{"id": f"f{i:04}", "t": 0.1 + i / 10_000, "n": 2} for i in range(1_100)]
    again: list[Reading] = [{"id": "g0", "t": 6, "n": 1}]
    late: list[Reading] = [{"id": f"g{t}", "t": t, "n": 2} for t in (7, 7.5)]
    operator = build_operator(query)
    assert feed(operator, query, early, 5) == []
    assert feed(operator, query, again, 6.5) == []
    state, restored = operator.snapshot(), build_operator(query)
    restored.restore(state)
    assert restored.snapshot() == state
    found = feed(restored, query, late)
    assert len(found) == 2
    assert found == feed(operator, query, late)
