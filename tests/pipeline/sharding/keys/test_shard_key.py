"""By what the events of a query are dealt to shards: what may be, and why the rest may not."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.language.nodes import Query
from kaicep.pipeline.sharding.keys.shard_key import sharding_key, why_one_shard
from support.keyed import STREAMS

PROJECT = Project.parse({"streams": STREAMS})
TWO = "SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, Q)"
RUN = "SELECT ?a.id AS a, COUNT(?b) AS n FROM (?a, P), (?b, Q)"
SAME = "SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P)"
LAST = "matches of different keys may have the same last event, by which rows are put in order"
NOT = "SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P), (?n, P)"


def query(text: str) -> Query:
    return PROJECT.compile(text)[-1]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("SELECT ?e.id FROM (?e, P)", {"e": "_id"}),
        ("SELECT COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 5s) GROUP BY ?e.speed, ?e.car", {"e": "car"}),
        (f"{TWO} JOIN (?a.car = ?b.seg AND ?a.v < ?b.v) WINDOW (?a, ?b, 5s)", {"a": "car", "b": "seg"}),
        (f"{TWO} SEQ (?a => ?b) WINDOW (?a, ?b, 5s) PARTITION BY car", {"a": "car", "b": "car"}),
        (f"{TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 5s) PARTITION BY speed, id", {"a": "id", "b": "id"}),
        (f"{RUN} SEQ (?a, ?b+) WINDOW (?a, ?b, 5s) PARTITION BY car", {"a": "car", "b": "car"}),
        (
            f"{NOT} JOIN (?a.car = ?b.car) JOIN (?n.seg = ?b.car) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 5s)",
            {"a": "car", "b": "car", "n": "seg"},
        ),
        (f"{SAME} JOIN (?a.car = ?b.seg) SEQ (?a, ?b) WINDOW (?a, ?b, 5s)", {"a": "car", "b": "seg"}),
        (f"{SAME} JOIN (?a.car = ?b.seg AND ?a.v = ?b.v) WINDOW (?a, ?b, 5s)", {"a": "v", "b": "v"}),
        (
            f"{NOT} JOIN (?a.car = ?b.seg) JOIN (?n.car = ?a.car) SEQ (?a, ?b, NOT ?n FOR 2s) WINDOW (?a, ?b, 5s)",
            {"a": "car", "b": "seg", "n": "car"},
        ),
    ],
)
def test_a_key_that_all_events_of_a_match_share(text: str, columns: dict[str, str]) -> None:
    found = sharding_key(query(text))
    assert found is not None
    assert dict(found.columns) == columns
    assert why_one_shard(query(text)) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT ?e.id FROM (?e, P) LIMIT 3", "LIMIT counts all rows"),
        ("SELECT DISTINCT ?e.id FROM (?e, P)", "DISTINCT compares all rows"),
        ("SELECT ?e.id FROM (?e, P) OUTPUT ALL EVERY 3s", "OUTPUT hands over the rows of all keys together"),
        (
            "SELECT COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 5s)",
            "nothing ties its events together: GROUP BY an attribute of an exact type",
        ),
        (
            "SELECT COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 5s) GROUP BY ?e.speed",
            "nothing ties its events together: GROUP BY an attribute of an exact type",
        ),
        (
            "SELECT COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 5s, START first) GROUP BY ?e.car",
            "a WINDOW is of all groups, or begins with the first event",
        ),
        (
            f"{TWO} SEQ (?a, ?b) WINDOW (?a, ?b, 5s)",
            "nothing ties its events together: PARTITION BY, or equality JOINs of all",
        ),
        (
            f"{TWO} JOIN (?a.car = ?b.car) SEQ (?a -> ?b) WINDOW (?a, ?b, 5s)",
            "nothing ties its events together: PARTITION BY, or equality JOINs of all",
        ),
        (
            f"{NOT} JOIN (?a.car = ?b.car) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 5s)",
            "nothing ties its events together: PARTITION BY, or equality JOINs of all",
        ),
        (
            f"{TWO} JOIN (?a.car = ?b.car) SEQ (?a, ?b) WINDOW (?a, ?b, 5s) AFTER MATCH SKIP PAST LAST EVENT",
            "nothing ties its events together: PARTITION BY, or equality JOINs of all",
        ),
        (f"{SAME} JOIN (?a.car = ?b.seg) WINDOW (?a, ?b, 5s)", LAST),
        (f"{SAME} JOIN (?a.car = ?b.seg) SEQ (?a AND ?b) WINDOW (?a, ?b, 5s)", LAST),
        (
            f"{TWO} WINDOW (?a, sliding, 3 events) WINDOW (?b, sliding, 3 events) PARTITION BY car",
            "a WINDOW counts events, or slides over those of all keys",
        ),
        (
            "CREATE CONTEXTS c (calm DEFAULT, hot) BY car; SELECT ?e.id FROM (?e, P) IN CONTEXT hot",
            "it speaks of contexts",
        ),
    ],
)
def test_why_there_is_none(text: str, reason: str) -> None:
    assert why_one_shard(query(text)) == reason
    assert sharding_key(query(text)) is None
