"""What a plan says of itself."""

from __future__ import annotations

from dataclasses import replace

from kaicep.annotator import Annotator
from kaicep.language.nodes import Binary, Column, Constant, ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter.plan import DerivedValue, InlineData, Plan, PlanContext, ResidualQuery, columns_of
from support.streams import reports
from support.subqueries import subquery

ASKED = subquery("?e evt:hasSource ?s . ?s bd:near ?x . ?x bd:near ?x . FILTER (?x != ?s)", ("s", "x"))
PLAN = Plan(ASKED, ASKED.orderly, ASKED.triples, ASKED.filters)
MAX = DerivedValue("kaicep_0", "?max * 2", frozenset({"max"}), ValueType.DOUBLE)


def test_uses_of_a_variable_are_counted_by_position_and_part() -> None:
    assert (PLAN.uses("e"), PLAN.uses("s"), PLAN.uses("x"), PLAN.uses("y")) == (1, 3, 4, 0)
    more = replace(PLAN, derived=(MAX,), constants=(("max", "5"),), inline_data=(InlineData(("max", "y"), ()),))
    assert (more.uses("max"), more.uses("y")) == (3, 1)


def test_a_copied_binding_is_not_left_to_sparql() -> None:
    assert PLAN.solved == ("s", "x")
    assert replace(PLAN, copies=(("s", "sensor"),)).solved == ("x",)


def test_the_columns_of_conditions_once_each() -> None:
    span = ASKED.span
    columns = [Column("e", name, ValueType.DOUBLE, span) for name in ("a", "b", "a")]
    conditions = tuple(
        Binary(">", column, Constant(1, ValueType.INTEGER, span), ValueType.BOOLEAN, span) for column in columns
    )
    assert replace(PLAN, conditions=conditions).condition_columns == ("a", "b")


def test_a_solution_is_the_bindings_and_then_what_is_derived() -> None:
    residual = ResidualQuery("e", "", (("x", ValueType.IRI),), (MAX,), (), False, (), None)
    assert residual.solution == (("x", ValueType.IRI), ("kaicep_0", ValueType.DOUBLE))


def test_the_columns_of_a_property_and_the_type_of_a_binding() -> None:
    settings = reports(
        sensor={"property": "evt:hasSource", "individual": "ee:{}"},
        count={"property": "evt:count", "datatype": "xsd:integer"},
    )
    shape = Annotator("report", settings, KnowledgeBase.empty()).shape
    (sensor,) = columns_of(shape, "http://cei.usc.edu/Event.owl#hasSource")
    assert (sensor[0], sensor[1] is not None) == ("sensor", True)
    assert columns_of(shape, "urn:nothing") == ()
    context = PlanContext(shape, KnowledgeBase.empty(), {"x": ValueType.IRI}, known_events=False)
    assert (context.type_of("x"), context.type_of("y")) == (ValueType.IRI, ValueType.TERM)
