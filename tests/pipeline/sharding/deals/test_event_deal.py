"""How events are dealt once for many queries."""

from __future__ import annotations

from kaicep.pipeline.sharding.deals.event_deal import deals_of
from kaicep.pipeline.sharding.query_unit import units_of
from support.shards import PROJECT

TEXT = """
    CREATE QUERY seen AS SELECT ?e.v FROM (?e, P);
    CREATE QUERY pairs AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, Q)
    JOIN (?a.car = ?b.seg AND ?a.v < ?b.v) SEQ (?a, ?b) WINDOW (?a, ?b, 3s);
    CREATE QUERY mean AS SELECT AVG(?e.speed) AS mean FROM (?e, P) WINDOW (?e, batch, 3s) GROUP BY ?e.id;
    CREATE QUERY all_of AS SELECT COUNT(?e) AS n FROM (?e, Q) WINDOW (?e, batch, 3s)
"""


def test_queries_of_one_key_share_events_with_those_that_have_none() -> None:
    units = units_of(PROJECT.registrations(TEXT, "query"))
    deals = deals_of(units, lambda stream, column: (stream, column) == ("P", "id"))
    told = [(d.stream, d.column, d.columns[2:], d.takers, d.identifies) for of in deals.values() for d in of]
    assert told == [
        ("P", "car", ("car", "id", "v"), (("pairs", "a"), ("seen", "e")), False),
        ("P", "id", ("id", "speed"), (("mean", "e"),), True),
        ("Q", "seg", ("id", "seg", "v"), (("pairs", "b"), ("all_of", "e")), False),
    ]
    assert [deal.shards(4) for of in deals.values() for deal in of] == [4, 4, 4]
    assert [unit.by_event for unit in units] == [True, False, False, False]


def test_without_keys_each_split_is_as_it_is() -> None:
    (unit,) = units_of(PROJECT.registrations("SELECT ?e.v FROM (?e, P)", "query"))
    ((deal,),) = deals_of([unit], lambda *_: True).values()
    assert (deal.column, deal.identifies, deal.shards(4)) == ("", False, 1)
