"""One subquery at run time: required columns, conditions, copies and solutions together make the selection."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
from kaicep.annotator import Annotator
from kaicep.language.nodes import ValueType
from kaicep.ontology import KnowledgeBase
from kaicep.semfilter.rules import compile_subquery, plan_context
from kaicep.semfilter.runtime import FilterOptions, SubqueryFilter, SubqueryStatistics
from support.prefixes import turtle_head
from support.streams import reports
from support.subqueries import PREFIXES, source, subquery

KNOWLEDGE = KnowledgeBase.of_turtle(
    turtle_head(PREFIXES) + "ee:s1 bd:in bd:r1 , bd:r2 . bd:r1 bd:limit 5 , 6 . bd:r2 bd:limit 9 . ee:s2 bd:in bd:r2 ."
)
SETTINGS = reports(
    sensor={"property": "evt:hasSource", "individual": "ee:{}"}, flow={"property": "evt:flow", "datatype": "xsd:double"}
)
ANNOTATOR = Annotator("report", SETTINGS, KNOWLEDGE)
ROOMS = "?e evt:hasSource ?s . ?s bd:in ?r"
OVER = f"{ROOMS} . ?r bd:limit ?max . ?e evt:flow ?f . FILTER (?f > ?max)"


def events(*rows: tuple[str | None, float | None]) -> pa.Table:
    moments = [f"2012-05-07T00:00:{i:02}Z" for i in range(len(rows))]
    sensors, flows = pa.array([s for s, _ in rows], pa.string()), pa.array([f for _, f in rows], pa.float64())
    return ANNOTATOR.annotate(pa.table({"at": moments, "sensor": sensors, "flow": flows})).events


def filter_of(text: str, **bindings: ValueType) -> SubqueryFilter:
    asked = subquery(text, tuple(bindings))
    context = plan_context(source(asked, bindings), ANNOTATOR.shape, KNOWLEDGE)
    return SubqueryFilter(compile_subquery(asked, context), context, FilterOptions())


def rows(found: SubqueryFilter, *batch: tuple[str | None, float | None]) -> list[tuple[object, ...]]:
    selection = found.select(events(*batch))
    assert isinstance(selection, pl.DataFrame)
    return [tuple(str(v).rpartition("#")[2] if isinstance(v, str) else v for v in row) for row in selection.rows()]


def test_without_bindings_the_selection_is_a_mask() -> None:
    selection = filter_of(OVER).select(events(("s1", 5.5), ("s1", 5.0), ("s2", 9.5), ("s2", None), (None, 99.0)))
    assert isinstance(selection, np.ndarray)
    assert selection.tolist() == [True, False, True, False, False]


def test_each_distinct_projection_to_the_bindings_is_one_row() -> None:
    """Two limits of a room are exceeded: the room stands once."""
    assert rows(filter_of(OVER, r=ValueType.IRI), ("s1", 7.0), ("s1", 10.0)) == [(0, "r1"), (1, "r1"), (1, "r2")]


def test_a_binding_that_is_a_value_of_the_event_is_its_column() -> None:
    found = filter_of(f"{ROOMS} . ?e evt:flow ?f", f=ValueType.DOUBLE)
    assert rows(found, ("s2", 1.5), ("s2", None), ("nobody", 2.0)) == [(0, 1.5)]
    assert found.columns >= {"flow", "sensor"}


def test_an_unsatisfiable_plan_selects_nothing_and_keeps_the_columns() -> None:
    found = filter_of(f"{ROOMS} . bd:r1 bd:limit bd:nothing", r=ValueType.IRI)
    assert (found.compiled, found.known(), found.evaluate([((True, "x"),)])) == (None, {}, [[]])
    selection = found.select(events(("s1", 1.0)))
    assert isinstance(selection, pl.DataFrame)
    assert (selection.columns, len(selection)) == (["row", "?r"], 0)


def test_costs_go_on_where_another_filter_left_off() -> None:
    found = filter_of(ROOMS)
    found.carry_on({}, SubqueryStatistics(events=10, keys=4, hits=3, misses=1))
    found.select(events(("s1", 1.0)))
    assert (found.statistics.events, found.statistics.misses) == (11, 1)
