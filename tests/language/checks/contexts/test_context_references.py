"""Which context a name means, over several sets."""

from __future__ import annotations

from kaicep.language.checks import compile_document
from kaicep.language.nodes import ContextReference, InContext
from support.roads import ROAD, ROADS

RAIL = "CREATE CONTEXTS rail (clear DEFAULT, late);"


def asked(contexts: str) -> InContext:
    """IN CONTEXT of a query over a road and a railway."""
    found = compile_document(f"{ROAD}{RAIL} SELECT ?e.id FROM (?e, positions) IN CONTEXT {contexts}", ROADS)[-1]
    assert found.in_context is not None
    return found.in_context


def test_a_name_that_one_set_has_needs_no_set() -> None:
    assert asked("late, road.clear AS ?c").contexts == (
        ContextReference("rail", "late"),
        ContextReference("road", "clear", "c"),
    )


def test_the_sets_are_each_named_once() -> None:
    assert asked("late, jam, rail.clear, accident").sets == ("rail", "road")
