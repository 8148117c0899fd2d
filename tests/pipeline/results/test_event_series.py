"""The events behind rows, for plots."""

from __future__ import annotations

from kaicep import Project
from kaicep.pipeline.results.event_series import series_by_variable
from support.result_rows import READINGS, pairs, project, selected

COMMON = {"event_type": "<urn:R>", "time": {"attribute": "at"}}


def test_the_attribute_that_the_query_speaks_of_comes_first() -> None:
    assert selected().events["e"].attributes == ("ppm", "n")
    assert pairs().events["a"].attributes == ("ppm", "n")
    counted = project().evaluate("SELECT ?e.sensor FILTER (?e.n > 3)", {"air": READINGS})
    assert counted.events["e"].attributes == ("n", "ppm")


def test_a_series_has_the_events_of_its_stream() -> None:
    series = selected().events["e"]
    assert (series.stream, series.table.num_rows, series.identity) == ("air", 18, ("sensor",))
    assert series.units == {"ppm": "http://qudt.org/vocab/unit/PPM"}


def test_without_identity_the_individuals_tell_whose_values_they_are() -> None:
    attributes = {"point": {"individual": "<urn:p:{}>", "property": "<urn:of>"}, "x": {"datatype": "xsd:double"}}
    given = Project.parse({"streams": {"air": {**COMMON, "attributes": attributes}}})
    found = given.evaluate("SELECT ?e.x", {"air": [{"at": "2026-01-01", "point": "p1", "x": 1.0}]})
    assert found.events["e"].identity == ("point",)


def test_variables_over_the_rows_of_a_query_have_no_events() -> None:
    text = "CREATE QUERY high AS SELECT ?e.ppm AS ppm; SELECT ?h.ppm FROM (?h, high)"
    queries = project().compile(text)
    assert series_by_variable(queries[-1], project().annotators, {}) == {}
    assert project().evaluate(text, {"air": READINGS}).events == {}
