"""Looking for matches once for all windows that overlap changes no row."""

from __future__ import annotations

from random import Random

import pytest
from kaicep import Project

STREAM = {
    "event_type": "<urn:P>",
    "time": {"attribute": "t"},
    "identity": ["id"],
    "attributes": {
        "id": {"datatype": "xsd:string"},
        **{name: {"datatype": "xsd:integer"} for name in ("seg", "v", "car")},
    },
}
CONTEXTS = """
CREATE CONTEXTS road (clear DEFAULT, slow, odd, noon DURING '00:00-00:01') BY seg;
INITIATE CONTEXT slow FROM (?e, P) WHERE { FILTER (?e.v < 3) };
TERMINATE CONTEXT slow FROM (?e, P) WHERE { FILTER (?e.v > 7) };
INITIATE CONTEXT odd FROM (?e, P) WHERE { FILTER (?e.car = 1) };
TERMINATE CONTEXT odd FROM (?e, P) WHERE { FILTER (?e.car = 2 AND ?e.v > 4) };
"""
PATTERNS = ("SEQ (?a, ?b)", "SEQ (NOT ?n, ?a, ?b)", "SEQ (?a, NOT ?n, ?b)", "SEQ (?a ->> ?b)")


def rows_of(text: str, events: list[dict[str, object]], *, grouping: bool) -> list[dict[str, object]]:
    """The rows of the last query."""
    content = {"streams": {"P": STREAM}, "engine": {"contexts": {"grouping": grouping}}}
    return list(Project.parse(content).evaluate(text, {"P": events}))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", range(4))
def test_rows_are_the_same_with_grouping_and_without(pattern: str, seed: int) -> None:
    rng = Random(seed)
    negated = ", (?n, P)" if "?n" in pattern else ""
    variables = ", ".join(v for v in ("?n", "?a", "?b") if v in pattern)
    text = (
        f"{CONTEXTS} SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P){negated} IN CONTEXT slow, odd, clear, noon "
        f"WHERE {{ {pattern} JOIN (?a.car = ?b.car{' AND ?n.v = ?b.v' if negated else ''}) WINDOW ({variables}, 20s) }}"
    )
    events: list[dict[str, object]] = [
        {
            "id": f"e{i:02}",
            "t": f"2024-01-01T00:{i * 3 // 60:02}:{i * 3 % 60:02}Z",
            **{name: rng.randrange(bound) for name, bound in (("seg", 2), ("v", 10), ("car", 3))},
        }
        for i in range(40)
    ]
    together, apart = (rows_of(text, events, grouping=grouping) for grouping in (True, False))
    assert together
    assert together == apart
