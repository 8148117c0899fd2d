"""What waits for each other is answered together."""

from __future__ import annotations

from kaicep.pipeline.flow.queries.query_components import QueryComponent, Waiting, components_of


def query(name: str) -> Waiting:
    """A query of that label."""
    return Waiting(name, is_set=False)


ROAD = Waiting("road", is_set=True)


def test_a_set_and_the_queries_in_its_contexts_that_derive_it_are_one() -> None:
    waits = {
        query("toll"): [query("cars"), ROAD],
        query("ends"): [ROAD],
        query("begins"): [query("cars")],
        query("cars"): [],
        ROAD: [query("begins"), query("ends")],
    }
    assert components_of(waits) == [
        QueryComponent(("cars",), (), 0),
        QueryComponent(("begins",), (), 1),
        QueryComponent(("ends",), ("road",), 2),
        QueryComponent(("toll",), (), 3),
    ]
    assert [component.circular for component in components_of(waits)] == [False, False, True, False]


def test_what_is_not_there_is_not_waited_for() -> None:
    assert components_of({query("a"): [query("gone")]}) == [QueryComponent(("a",), (), 0)]
