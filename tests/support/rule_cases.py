"""The text pairs of the compile-time rules, `tests/semfilter/rules/<rule>.txt`: a PATH, and the plan that it becomes.

A case is a title (`# …`), the PATH and what is used of it outside (`used: name:type …`), `=>`, and the plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kaicep.annotator import Annotator
from kaicep.config import Settings
from kaicep.language.nodes import ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter import PlanContext
from kaicep.semfilter.plan import Plan, PlanRule
from kaicep.semfilter.rules import plan_context

from .plans import residual_plan
from .prefixes import turtle_head
from .subqueries import PREFIXES, source, subquery

__all__ = ["CASES", "RuleCase", "planned", "rule_cases"]

CASES = Path(__file__).parents[1] / "semfilter" / "rules"
_KNOWLEDGE = KnowledgeBase.of_turtle(turtle_head(PREFIXES) + (CASES / "knowledge.ttl").read_text(encoding="utf-8"))
_STREAM = {
    "event_type": "evt:AirflowReport",
    "time": {"attribute": "timestamp", "property": "evt:hasTime"},
    "attributes": {
        "sensorID": {"property": "evt:hasSource", "individual": "ee:{}"},
        "zone": {"property": "evt:inZone", "individual": "bd:{}"},
        "flowrate": {"same_as": "hvc:airflow", "datatype": "xsd:double"},
        "count": {"property": "evt:count", "datatype": "xsd:integer"},
        "note": {"property": "evt:note", "datatype": "xsd:string"},
    },
}
_SHAPE = Annotator(
    "airflowReport", Settings.parse({"prefixes": PREFIXES, "streams": {"airflowReport": _STREAM}}), _KNOWLEDGE
).shape


@dataclass(frozen=True, slots=True)
class RuleCase:
    """One pair: what is asked, and the plan in words."""

    title: str
    path: str
    plan: str

    def __str__(self) -> str:
        return self.title

    def applied(self, *rules: PlanRule) -> str:
        """What the rules make of the PATH, in words."""
        text, _, used = self.path.partition("\nused: ")
        return residual_plan(planned(text, *rules, used=used), PREFIXES)


def planned(text: str, *rules: PlanRule, used: str = "") -> Plan:
    """The plan of a PATH after some rules, one after the other.

    Args:
        text: the PATH.
        rules: in order.
        used: `name:type …` of what is used outside.
    """
    kinds = {name: ValueType(kind) for name, kind in (pair.split(":") for pair in used.split())}
    asked = subquery(text, tuple(kinds))
    context: PlanContext = plan_context(source(asked, kinds), _SHAPE, _KNOWLEDGE)
    plan = Plan(asked, asked.orderly, asked.triples, asked.filters)
    for rule in rules:
        plan = rule(plan, context)
    return plan


def rule_cases(rule: str) -> list[RuleCase]:
    """The pairs of the rule of that file."""
    found = []
    for case in (CASES / f"{rule}.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        title, *lines = case.splitlines()
        middle = lines.index("=>")
        path, plan = "\n".join(lines[:middle]), "\n".join(lines[middle + 1 :])
        found.append(RuleCase(title.removeprefix("# "), path, plan))
    return found
