"""What looks at the events or rows of all keys."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.pipeline.sharding.keys.common_rows import why_common
from support.keyed import STREAMS

PROJECT = Project.parse({"streams": STREAMS})
CONTEXTS = "CREATE CONTEXTS road (calm DEFAULT, jam) BY car; INITIATE CONTEXT jam FROM (?e, P) FILTER (?e.v > 3);"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT ?e.id FROM (?e, P)", None),
        ("SELECT DISTINCT ?e.id FROM (?e, P)", "DISTINCT compares all rows"),
        ("SELECT COUNT(?a) AS n FROM (?a, P), (?b, P) SEQ (?a+, ?b) WINDOW (?a, ?b, 5s)", None),
        (
            "SELECT COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 5s, START first) GROUP BY ?e.car",
            "a WINDOW is of all groups, or begins with the first event",
        ),
        (
            "SELECT ?a.id FROM (?a, P), (?n, P) SEQ (?a, NOT ?n) WINDOW (?a, ?n, 5s) PARTITION BY car",
            "its last NOT waits for the next event",
        ),
        (f"{CONTEXTS} SELECT COUNT(?e) AS n FROM (?e, P) IN CONTEXT jam WINDOW (?e, CONTEXT)", None),
    ],
)
def test_what_does(text: str, reason: str | None) -> None:
    assert why_common(PROJECT.compile(text)[-1]) == reason
