"""A FILTER inside a PATH: the values that it compares, and by how much they miss."""

from __future__ import annotations

import pyoxigraph as ox
from kaicep.explain.reasons.filter_witness import ComparedSides, nearest_comparison
from kaicep.explain.reasons.path_conjuncts import conjuncts_of, joined
from support.reasons import EVENT, PREFIXES, view

RATE = f"?e <{PREFIXES['hvc']}airflow> ?rate . ?c <{PREFIXES['hvc']}limit> ?limit"


def compared(condition: str) -> ComparedSides:
    *held, test = conjuncts_of(f"{RATE} FILTER ({condition})", "e", EVENT)
    with view() as one:
        solutions = one.solutions(joined(held), {}, 9)
        found = nearest_comparison(one, joined(held), test, solutions, ("e", f"<{EVENT}>"))
    assert found is not None
    return found


def test_numbers_miss_by_their_difference() -> None:
    found = compared("?rate > ?limit")
    assert (found.note, found.distance) == ("?rate is 430, ?limit is 500, 70 below", 70.0)


def test_constants_are_not_said_again() -> None:
    found = compared("?rate < 400")
    assert (found.note, found.distance) == ("?rate is 430, 30 above", 30.0)


def test_what_is_no_comparison_tells_its_values() -> None:
    found = compared("isIRI(?rate)")
    assert found.note == "?rate is 430"
    assert isinstance(found.solution["rate"], ox.Literal)
