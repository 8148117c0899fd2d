"""What is said of what runs where."""

from __future__ import annotations

from kaicep import Project
from kaicep.explain import explain_registrations, plan_text
from kaicep.explain.plans.shard_plan import describe_shards
from support.keyed import STREAMS

PROJECT = Project.parse({"streams": STREAMS})
TEXT = """
    CREATE CONTEXTS road (calm DEFAULT, jam) BY car;
    INITIATE CONTEXT jam FROM (?e, P) FILTER (?e.v > 3);
    CREATE QUERY seen AS SELECT ?e.id FROM (?e, Q) IN CONTEXT jam;
    CREATE QUERY few AS SELECT ?e.id FROM (?e, Q) LIMIT 3;
    CREATE QUERY pairs AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, Q) JOIN (?a.car = ?b.seg)
    SEQ (?a, ?b) WINDOW (?a, ?b, 3s);
    CREATE QUERY plain AS SELECT ?e.id FROM (?e, P)
"""


def test_by_what_queries_are_cut_and_which_go_together() -> None:
    queries = PROJECT.registrations(TEXT, "query")
    found = describe_shards(queries)
    assert [plan_text(found[query.label]).splitlines() for query in queries] == [
        [
            "shards: as many as there are cores, by car of P, car of Q; in an engine one, where queries come and go",
            "  where files are read: shards are given whole events",
            "  in a shard: its operator and those of seen, which answer each other",
        ],
        [
            "shards: as many as there are cores, by car of P, car of Q; in an engine one, where queries come and go",
            "  where files are read: shards are given whole events",
            "  in a shard: its operator and those of road.jam.initiate, which answer each other",
        ],
        [
            "shards: one: LIMIT counts all rows",
            "  where files are read: FILTERs and PATHs are asked there; shards are given its candidates",
            "  in a shard: its operator",
        ],
        [
            "shards: as many as there are cores, by ?a.car, ?b.seg",
            "  where files are read: FILTERs and PATHs are asked there; shards are given its candidates",
            "  in a shard: its operator",
        ],
        [
            "shards: as many as there are cores, each event by itself",
            "  where files are read: FILTERs and PATHs are asked there; shards are given its candidates",
            "  in a shard: its operator",
        ],
    ]


def test_the_plan_of_each_query_ends_with_it() -> None:
    plans = explain_registrations(PROJECT, PROJECT.registrations(TEXT, "query"))
    assert [plan.children[-1].label for plan in plans] == ["shards"] * 5
