"""What of registered queries has to be answered together."""

from __future__ import annotations

from kaicep import Project
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sharding.query_unit import units_of
from support.keyed import STREAMS

PROJECT = Project.parse({"streams": STREAMS, "actions": {"tell": {"command": ["true"]}}})


def units(text: str) -> list[tuple[list[str], bool, int]]:
    """Of each unit its labels, whether it is single, and how many of three shards it has."""
    queries = PROJECT.compile(text)
    registrations = [Registration(q, q.called or f"query-{i}") for i, q in enumerate(queries)]
    return [([r.label for r in u.registrations], u.single, u.shards(3)) for u in units_of(registrations)]


def test_queries_over_source_streams_have_nothing_to_do_with_each_other() -> None:
    text = """
        CREATE QUERY all_of AS SELECT ?e.id FROM (?e, P);
        CREATE QUERY few AS SELECT ?e.id FROM (?e, P) LIMIT 3
    """
    assert units(text) == [(["all_of"], True, 3), (["few"], True, 1)]


def test_a_query_goes_with_those_that_read_its_rows() -> None:
    text = """
        CREATE QUERY fast AS SELECT ?e.id, ?e.v FROM (?e, P) FILTER (?e.v > 3);
        CREATE QUERY apart AS SELECT ?e.id FROM (?e, Q);
        CREATE QUERY faster AS SELECT ?f.id FROM (?f, fast) FILTER (?f.v > 5)
    """
    assert units(text) == [(["fast", "faster"], False, 3), (["apart"], True, 3)]


def test_queries_go_with_those_that_change_their_contexts() -> None:
    text = """
        CREATE CONTEXTS road (calm DEFAULT, jam) BY car;
        INITIATE CONTEXT jam FROM (?e, P) FILTER (?e.v > 3);
        CREATE QUERY seen AS SELECT ?e.id FROM (?e, Q) IN CONTEXT jam;
        CREATE QUERY apart AS SELECT ?e.id FROM (?e, Q)
    """
    assert [unit[0][-1] for unit in units(text)] == ["seen", "apart"]
    assert [unit[1:] for unit in units(text)] == [(False, 3), (True, 3)]


def test_of_calendars_everybody_knows_what_they_say() -> None:
    text = """
        CREATE CONTEXTS hours (off DEFAULT, shift DURING '08:00-18:00');
        CREATE QUERY one AS SELECT ?e.id FROM (?e, P) IN CONTEXT shift;
        CREATE QUERY other AS SELECT ?e.id FROM (?e, P) IN CONTEXT off LIMIT 3
    """
    assert units(text) == [(["one"], False, 3), (["other"], False, 1)]


def test_a_unit_says_why_it_has_one_shard() -> None:
    text = """
        CREATE QUERY fast AS SELECT ?e.id FROM (?e, P) FILTER (?e.v > 3) LIMIT 3;
        CREATE QUERY faster AS SELECT ?f.id FROM (?f, fast);
        CREATE QUERY apart AS SELECT DISTINCT ?e.id FROM (?e, Q);
        CREATE QUERY all_of AS SELECT ?e.id FROM (?e, Q)
    """
    queries = PROJECT.compile(text)
    found = units_of([Registration(q, q.called or f"query-{i}") for i, q in enumerate(queries)])
    reasons = ["fast: LIMIT counts all rows", "DISTINCT compares all rows", None]
    assert [unit.why_one for unit in found] == reasons


def test_where_queries_come_and_go_several_have_one_shard() -> None:
    """By what they would be cut follows from all of them: whoever joined would have to move their states."""
    queries = PROJECT.compile("""
        CREATE QUERY fast AS SELECT ?e.id, ?e.v FROM (?e, P) FILTER (?e.v > 3);
        CREATE QUERY apart AS SELECT ?e.id FROM (?e, Q);
        CREATE QUERY faster AS SELECT ?f.id FROM (?f, fast) FILTER (?f.v > 5);
        CREATE CONTEXTS hours (off DEFAULT, shift DURING '08:00-18:00');
        CREATE QUERY one AS SELECT ?e.id FROM (?e, P) IN CONTEXT shift
    """)
    registrations = [Registration(q, q.called or f"query-{i}") for i, q in enumerate(queries)]
    assert [unit.shards(3) for unit in units_of(registrations)] == [3, 3, 3]
    changing = units_of(registrations, changing=True)
    assert [(unit.name, unit.shards(3)) for unit in changing] == [("fast+", 1), ("apart", 3), ("one+", 1)]


def test_rules_act_in_their_common_order() -> None:
    text = """
        CREATE RULE one ON P DO CALL tell(?row.id AS id);
        CREATE QUERY apart AS SELECT ?e.id FROM (?e, Q);
        CREATE RULE two ON Q DO CALL tell(?row.id AS id)
    """
    assert units(text) == [(["one", "two"], False, 1), (["apart"], True, 3)]
