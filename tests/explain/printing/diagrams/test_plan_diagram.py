"""A plan as boxes: what has parts is a box, what has none a line."""

from __future__ import annotations

from kaicep.explain import PlanNode, plan_diagram_of
from kaicep.explain.printing.diagrams.diagram import Arrow

PATH = PlanNode("PATH of ?e", "", (PlanNode("key", "sensor"), PlanNode("SPARQL", "?s a <urn:ex:Sensor>")))
SOURCE = PlanNode("", "?e from air", (PlanNode("filter", "?e.x > 1"), PlanNode("semantic filter", "", (PATH,))))
PLAN = PlanNode("query high", "selection", (SOURCE, PlanNode("output", "x double")))


def test_what_a_part_gives_flows_to_what_it_belongs_to() -> None:
    found = plan_diagram_of(PLAN, {"ex": "urn:ex:"})
    assert [box.lines for box in found.boxes] == [
        ("query high: selection", "output: x double"),
        ("?e from air", "filter: ?e.x > 1"),
        ("PATH of ?e", "key: sensor", "SPARQL: ?s a ex:Sensor"),
    ]
    assert found.arrows == (Arrow("n2", "n1"), Arrow("n1", "n0"))


def test_several_paths_are_gathered_where_the_plan_gathers_them() -> None:
    several = PlanNode("semantic filter", "", (PATH, PATH))
    found = plan_diagram_of(PlanNode("query", "selection", (several,)))
    assert [box.lines[0] for box in found.boxes] == ["query: selection", "semantic filter", "PATH of ?e", "PATH of ?e"]
    assert set(found.arrows) == {Arrow("n1", "n0"), Arrow("n2", "n1"), Arrow("n3", "n1")}
