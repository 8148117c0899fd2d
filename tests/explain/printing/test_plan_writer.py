"""An explanation as lines."""

from __future__ import annotations

from kaicep.explain import PlanNode, plan_text

PLAN = PlanNode(
    "query high",
    "selection",
    (
        PlanNode("", "?e from air", (PlanNode("semantic filter", children=(PlanNode("key", "<urn:ex:s>"),)),)),
        PlanNode("within", "all of time"),
    ),
)


def test_children_stand_indented_below_their_parents() -> None:
    assert plan_text(PLAN).splitlines() == [
        "query high: selection",
        "  ?e from air",
        "    semantic filter:",
        "      key: <urn:ex:s>",
        "  within: all of time",
    ]


def test_iris_are_shortened() -> None:
    assert "      key: ex:s\n" in plan_text(PLAN, {"ex": "urn:ex:"})
