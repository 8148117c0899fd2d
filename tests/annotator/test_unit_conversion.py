"""Individuals that measure in units of their own: values come in the attribute's unit, once per individual."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.annotator import Annotator
from kaicep.config import Settings
from kaicep.errors import AnnotationError
from kaicep.ontology import KnowledgeBase

KNOWLEDGE = """
@prefix ex: <urn:ex:> . @prefix unit: <http://qudt.org/vocab/unit/> .
@prefix qudt: <http://qudt.org/schema/qudt/> . @prefix brick: <https://brickschema.org/schema/Brick#> .
ex:litres qudt:hasUnit unit:L-PER-SEC . ex:feet brick:hasUnit unit:FT3-PER-MIN . ex:warm qudt:unit unit:DEG_C .
ex:warmer qudt:unit unit:DEG_F . ex:both qudt:hasUnit unit:L-PER-SEC , unit:M3-PER-HR . ex:odd qudt:hasUnit ex:Sack .
"""
PREFIXES = {"ex": "urn:ex:", "unit": "http://qudt.org/vocab/unit/"}
SENSOR = {"property": "ex:sensor", "individual": "ex:{}"}
FLOW = {"datatype": "xsd:double", "unit": "unit:FT3-PER-MIN", "unit_of": "sensor"}


def content(**attributes: Any) -> dict[str, Any]:
    stream = {
        "event_type": "<urn:Report>",
        "time": {"attribute": "at"},
        "identity": ["sensor", "at"],
        "attributes": {"sensor": SENSOR, **attributes},
    }
    return {"prefixes": PREFIXES, "streams": {"air": stream}}


def annotator(**attributes: Any) -> Annotator:
    return Annotator("air", Settings.parse(content(**attributes)), KnowledgeBase.of_turtle(KNOWLEDGE))


def raw(*readings: tuple[str | None, float | None], name: str = "flow") -> pa.Table:
    moments = [f"2026-01-01T00:00:{i:02d}Z" for i in range(len(readings))]
    sensors, values = ([reading[i] for reading in readings] for i in (0, 1))
    return pa.table({"sensor": pa.array(sensors, pa.string()), "at": moments, name: pa.array(values, pa.float64())})


def test_values_come_in_the_unit_of_the_attribute() -> None:
    """The knowledge says nothing of s, and an event of no sensor has no other unit either."""
    readings = raw(("litres", 100.0), ("feet", 100.0), ("s", 100.0), (None, 100.0), ("litres", None), ("litres", 200.0))
    annotated = annotator(flow=FLOW).annotate(readings)
    cfm = 100 * (1 / 0.4719474432)
    assert annotated.events["flow"].to_pylist() == pytest.approx([cfm, 100, 100, 100, None, 2 * cfm], nan_ok=False)
    assert annotated.rejected.num_rows == 0


def test_events_are_identified_by_what_was_sent() -> None:
    same = annotator(flow=FLOW).annotate(raw(("litres", 100.0))).events["_id"]
    assert same == annotator(flow=FLOW | {"unit_of": None}).annotate(raw(("litres", 100.0))).events["_id"]


def test_what_cannot_be_converted_is_rejected() -> None:
    annotated = annotator(flow=FLOW).annotate(raw(("warm", 20.0), ("feet", 1.0), ("both", 1.0), ("odd", 1.0)))
    assert annotated.events["flow"].to_pylist() == [1.0]
    to = "converted to <http://qudt.org/vocab/unit/FT3-PER-MIN>"
    assert annotated.rejected.to_pylist() == [
        {
            "row": 0,
            "reason": f"flow: <urn:ex:warm> measures in <http://qudt.org/vocab/unit/DEG_C>, which cannot be {to}",
        },
        {
            "row": 2,
            "reason": "flow: <urn:ex:both> measures in <http://qudt.org/vocab/unit/L-PER-SEC> and "
            f"<http://qudt.org/vocab/unit/M3-PER-HR>, which are {to} differently",
        },
        {"row": 3, "reason": f"flow: <urn:ex:odd> measures in <urn:ex:Sack>, which cannot be {to}"},
    ]


def test_one_value_is_of_several_attributes_by_what_it_measures() -> None:
    """A stream of all points of a building: an event has a temperature where its point measures one."""
    value = {"datatype": "xsd:double"}
    warmth = {"value_of": "value", "unit_of": "sensor", "unit": "unit:DEG_C"}
    made = annotator(value=value, flow=FLOW | {"value_of": "value"}, warmth=warmth)
    events = made.annotate(raw(("warm", 20.0), ("warmer", 68.0), ("feet", 30.0), (None, 1.0), name="value")).events
    assert events["value"].to_pylist() == [20.0, 68.0, 30.0, 1.0]
    assert events["warmth"].to_pylist() == pytest.approx([20.0, 20.0, None, 1.0])
    assert events["flow"].to_pylist() == [None, None, 30.0, 1.0]


def test_quantities_compare_with_sensors_of_any_unit(tmp_path: Path) -> None:
    query = "SELECT ?e.sensor, ?e.flow FILTER (?e.flow > 500 unit:FT3-PER-MIN)"
    rows = [("litres", 235.0), ("litres", 237.0), ("feet", 499.0), ("feet", 501.0)]
    (tmp_path / "units.ttl").write_text(KNOWLEDGE)
    settings = content(flow=FLOW | {"unit": "unit:M3-PER-HR"}) | {"knowledge": {"modules": ["units.ttl"]}}
    project = Project.parse(settings, root=tmp_path)
    given = [{"sensor": s, "at": f"2026-01-01T00:00:0{i}Z", "flow": v} for i, (s, v) in enumerate(rows)]
    found = project.evaluate(query, {"air": given})
    assert [(row["sensor"], round(row["flow"], 6)) for row in found] == [("litres", 853.2), ("feet", 851.204409)]


def test_how_many_measure_in_other_units_by_other_knowledge() -> None:
    settings = Settings.parse(content(flow=FLOW))
    now = KNOWLEDGE.replace("ex:litres qudt:hasUnit unit:L-PER-SEC .", "ex:new qudt:hasUnit unit:L-PER-SEC .")
    before, after = (Annotator("air", settings, KnowledgeBase.of_turtle(text)) for text in (KNOWLEDGE, now))
    assert before.remeasured(after) == {"flow": 2}
    assert before.remeasured(before) == {}


REFUSED: dict[str, dict[str, dict[str, Any]]] = {
    "unit_of: 'at' is no attribute that stands for individuals: name the attribute of what measures, with "
    "'individual' or 'key'": {"flow": FLOW | {"unit_of": "at"}},
    "unit_of says what values are converted from, not to: add unit = …": {"flow": FLOW | {"unit": None}},
    'a converted value is an xsd:double, no xsd:integer: write datatype = "xsd:double"': {
        "flow": FLOW | {"datatype": "xsd:integer"}
    },
    "value_of: 'x' is no declared attribute: declare it, with its datatype": {"flow": FLOW | {"value_of": "x"}},
    "value_of takes values that are converted, and nothing says from what: add unit_of = …": {
        "x": {"datatype": "xsd:double"},
        "flow": FLOW | {"value_of": "x", "unit_of": None},
    },
    "value_of: 'x' has a unit already: drop its unit: each value has its own": {
        "x": {"datatype": "xsd:double", "unit": "unit:L-PER-SEC"},
        "flow": FLOW | {"value_of": "x"},
    },
    "value_of: 'x' holds no numbers: declare it with a numeric datatype": {
        "x": {"datatype": "xsd:string"},
        "flow": FLOW | {"value_of": "x"},
    },
}


@pytest.mark.parametrize("message", REFUSED)
def test_annotations_that_cannot_be_meant_are_refused(message: str) -> None:
    with pytest.raises(AnnotationError) as refused:
        annotator(**REFUSED[message])
    assert str(refused.value) == f"project: streams.air.attributes.flow: {message}"
