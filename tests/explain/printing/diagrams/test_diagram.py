"""Several diagrams beside each other."""

from __future__ import annotations

from kaicep.explain.printing.diagrams.diagram import Arrow, Box, Diagram, joined_diagrams

ONE = Diagram("plan", (Box("a", ("x",)), Box("b", ("y",))), (Arrow("a", "b"),))


def test_boxes_of_several_diagrams_have_keys_of_their_own() -> None:
    found = joined_diagrams([ONE, Diagram("plan", ONE.boxes, (), remark="cut")])
    assert [box.key for box in found.boxes] == ["q1a", "q1b", "q2a", "q2b"]
    assert found.arrows == (Arrow("q1a", "q1b"),)
    assert (found.name, found.remark) == ("plan", "cut")


def test_one_diagram_stays_as_it_is() -> None:
    assert joined_diagrams([ONE]) is ONE
