"""Why the PATHs of an event variable hold for an event, or why not."""

from __future__ import annotations

from collections.abc import Mapping

from kaicep.explain.reasons import PathExplainer, Reason
from kaicep.language.nodes import AllOf, AnyOf, Semantics, ValueType
from support.reasons import PREFIXES, annotated, campus, mapping
from support.subqueries import source, subquery

AT = f"?e <{PREFIXES['evt']}hasSource> ?s . ?s <{PREFIXES['bd']}hasLocation> ?r"
ROOM = subquery(AT)
LAB = subquery(f"{AT} . ?r a <{PREFIXES['bd']}Lab>")


def explained(
    semantics: Semantics | None, sensor: str = "D1-flow", chosen: Mapping[str, object] | None = None
) -> Reason | None:
    types = {"w": ValueType.IRI} if chosen else {}
    return PathExplainer(campus()).explain(source(semantics, types), mapping(), annotated(sensor), chosen)


def test_without_paths_there_is_no_reason() -> None:
    assert explained(None) is None


def test_and_needs_both_and_or_one() -> None:
    both, either = explained(AllOf((ROOM, LAB))), explained(AnyOf((LAB, ROOM)))
    assert both is not None
    assert either is not None
    assert (both.text, both.holds, [part.holds for part in both.parts]) == ("all of", False, [True, False])
    assert (either.text, either.holds, [part.holds for part in either.parts]) == ("any of", True, [False, True])


def test_the_solution_that_was_chosen_is_explained() -> None:
    floor = subquery(f"{AT} . ?r <{PREFIXES['bd']}partOf> ?w", ["w"])
    for place in ("floor", "hall"):
        reason = explained(floor, chosen={"w": f"{PREFIXES['bd']}{place}"})
        assert reason is not None
        assert place in reason.parts[-1].text


def test_a_value_with_a_slip_is_told_what_it_should_have_been() -> None:
    reason = explained(ROOM, "D1-flw")
    assert reason is not None
    assert "sensor is linked to nothing" in reason.parts[-1].note
    assert 'nearest: "D1-flow"' in reason.parts[-1].note
