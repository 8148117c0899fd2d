"""By what queries are cut that share contexts or streams."""

from __future__ import annotations

import pytest
from kaicep import Project
from kaicep.pipeline.sharding.keys.unit_key import common_key, why_one_shard_together
from support.keyed import STREAMS

PROJECT = Project.parse({"streams": STREAMS})
ROAD = """
    CREATE CONTEXTS road (calm DEFAULT, jam) BY car;
    CREATE QUERY begin AS INITIATE CONTEXT jam FROM (?e, P) FILTER (?e.v > 3);
"""


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (f"{ROAD} SELECT ?e.id FROM (?e, Q) IN CONTEXT jam", {"P": ("car",), "Q": ("car",)}),
        (f"{ROAD} SELECT ?e.id FROM (?e, Q) IN CONTEXT jam ON (?e: ?e.seg)", {"P": ("car",), "Q": ("seg",)}),
        (
            ROAD.replace("BY car", "BY car, seg") + "SELECT ?e.id FROM (?e, P) IN CONTEXT jam",
            {"P": ("car", "seg")},
        ),
        (
            ROAD.replace("BY car", "BY car, seg")
            + "TERMINATE CONTEXT jam FROM (?a, P), (?b, P) JOIN (?a.seg = ?b.seg AND ?a.car = ?b.car) SEQ (?a, ?b) "
            "WINDOW (?a, ?b, 5s)",
            {"P": ("car", "seg")},
        ),
        (
            (
                "CREATE QUERY fast AS SELECT ?e.car AS who, ?e.v FROM (?e, P) FILTER (?e.v > 3); "
                "SELECT COUNT(?f) AS n FROM (?f, fast) WINDOW (?f, batch, 5s) GROUP BY ?f.who"
            ),
            {"P": ("car",)},
        ),
        (
            "CREATE CONTEXTS hours (off DEFAULT, shift DURING '08:00-18:00'); SELECT ?e.id FROM (?e, P) IN CONTEXT off",
            {"P": ("_id",)},
        ),
    ],
)
def test_by_what_all_of_them_are_cut(text: str, columns: dict[str, tuple[str, ...]]) -> None:
    queries = PROJECT.compile(text)
    found = common_key(queries)
    assert found is not None
    assert dict(found.columns) == columns
    assert why_one_shard_together({f"q{number}": query for number, query in enumerate(queries)}) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{ROAD} SELECT ?e.id FROM (?e, P) IN CONTEXT jam LIMIT 3", "q1: LIMIT counts all rows"),
        (
            f"{ROAD} SELECT ?c.change FROM (?c, CONTEXTS(road))",
            "q1: it reads changes of contexts, which are numbered over all keys",
        ),
        (ROAD.replace("BY car", ""), "q0: it speaks of contexts that have no keys"),
        (f"{ROAD} SELECT ?e.id FROM (?e, P) IN CONTEXT jam ON (?e: ?e.seg)", "they are cut by different values"),
        (f"{ROAD} TERMINATE CONTEXT jam AT (?e.car + 1) FROM (?e, P)", "q1: no column of its events says its key"),
        (
            ROAD.replace("FROM (?e, P)", "FROM (?e, P) WITHIN (now, now + 1h]"),
            "q0: its changes end with WITHIN, whose end waits for all keys",
        ),
        (
            (
                "CREATE QUERY runs AS SELECT ?a.car, COUNT(?b) AS n FROM (?a, P), (?b, P) SEQ (?a -> ?b{1,; ->}) "
                "WINDOW (?a, ?b, 5s) PARTITION BY car; SELECT ?r.n FROM (?r, runs)"
            ),
            "q0: others wait for its rows, and these for repetitions of other keys",
        ),
        (
            (
                "CREATE QUERY fast AS SELECT ?e.v FROM (?e, P); "
                "SELECT COUNT(?f) AS n FROM (?f, fast) WINDOW (?f, batch, 5s)"
            ),
            "q1: nothing ties its events together",
        ),
    ],
)
def test_why_they_have_one_shard(text: str, reason: str) -> None:
    queries = PROJECT.compile(text)
    assert common_key(queries) is None
    assert why_one_shard_together({f"q{number}": query for number, query in enumerate(queries)}) == reason
