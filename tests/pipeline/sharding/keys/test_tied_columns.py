"""The columns in which the events of a match agree."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.pipeline.sharding.keys.tied_columns import tied_columns
from support.keyed import STREAMS

PROJECT = Project.parse({"streams": STREAMS})
TWO = "SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, Q)"
RUN = "SELECT ?a.id AS a, COUNT(?b) AS n FROM (?a, P), (?b, Q)"


@pytest.mark.parametrize(
    ("text", "ties"),
    [
        ("SELECT ?e.id FROM (?e, P)", []),
        ("SELECT COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 5s) GROUP BY ?e.speed", []),
        (
            "SELECT COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 5s) GROUP BY ?e.car, ?e.v + 1, ?e.seg",
            [{"e": "car"}, {"e": "seg"}],
        ),
        (
            f"{TWO} JOIN (?a.car = ?b.seg) SEQ (?a, ?b) WINDOW (?a, ?b, 5s) PARTITION BY v",
            [{"a": "v", "b": "v"}, {"a": "car", "b": "seg"}],
        ),
        (f"{RUN} JOIN (?a.car = ?b.seg) SEQ (?a, ?b+) WINDOW (?a, ?b, 5s)", []),
    ],
)
def test_each_way_there_is(text: str, ties: list[dict[str, str]]) -> None:
    (query,) = PROJECT.compile(text)
    assert [dict(tied) for tied in tied_columns(query)] == ties
