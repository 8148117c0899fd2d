"""Every contradiction in an annotation is refused, and the message says where it is and what to do."""

from __future__ import annotations

from typing import Any

import pytest
from kaicep.annotator import Annotator, compile_annotation
from kaicep.config import Settings
from kaicep.errors import AnnotationError, ConfigError, KaicepError
from kaicep.language.nodes.types import ValueType
from kaicep.ontology import KnowledgeBase

_PREFIXES = {
    "evt": "http://cei.usc.edu/Event.owl#",
    "hvc": "http://cei.usc.edu/HVAC.owl#",
    "ee": "http://cei.usc.edu/Equipment.owl#",
}
_KNOWLEDGE = KnowledgeBase.of_turtle(
    """@prefix evt: <http://cei.usc.edu/Event.owl#> . @prefix hvc: <http://cei.usc.edu/HVAC.owl#> .
    @prefix ee: <http://cei.usc.edu/Equipment.owl#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    evt:AirflowReport a owl:Class ; rdfs:subClassOf evt:Event .
    evt:hasSource a owl:ObjectProperty ; rdfs:range ee:Sensor . evt:hasTime a owl:DatatypeProperty .
    hvc:airflow a owl:DatatypeProperty ; rdfs:range xsd:float ; owl:equivalentProperty hvc:flowrate , hvc:airvolume .
    hvc:note a owl:DatatypeProperty . ee:sensorID a owl:DatatypeProperty ."""
)
_HVC = _PREFIXES["hvc"]


def _settings(attributes: dict[str, Any], **stream: Any) -> Settings:
    content = {
        "event_type": "evt:AirflowReport",
        "time": {"attribute": "timestamp", "property": "evt:hasTime"},
        "attributes": attributes,
    }
    return Settings.parse({"prefixes": _PREFIXES, "streams": {"airflowReport": content | stream}}, file="kaicep.toml")


_AIRFLOW = {"same_as": "hvc:airflow"}
_WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        {"flowrate": _AIRFLOW},
        {"identity": ["flowrat"]},
        "identity: 'flowrat' is no declared attribute: did you mean 'flowrate'?",
    ),
    (
        {"flowrate": _AIRFLOW},
        {"identity": ["xyz"]},
        "identity: 'xyz' is no declared attribute: declared: timestamp, flowrate",
    ),
    (
        {"flowrate": _AIRFLOW},
        {"identity": ["flowrate", "flowrate"]},
        "identity: 'flowrate' stands twice: name it once",
    ),
    (
        {"a": _AIRFLOW, "b": _AIRFLOW},
        {},
        f"attributes.b: 'a' and 'b' stand for the property <{_HVC}airflow>: declare one attribute for both",
    ),
    (
        {"a": _AIRFLOW, "b": {"same_as": "hvc:airvolume"}},
        {},
        (
            f"attributes.b: 'a' and 'b' stand for equivalent properties, <{_HVC}airflow> and <{_HVC}airvolume>: "
            "declare one attribute for both"
        ),
    ),
    (
        {"sensorID": {"individual": "ee:{}"}},
        {},
        (
            "attributes.sensorID: 'individual' says that values are individuals, but not of which property: "
            'add property = "…", whose objects they are'
        ),
    ),
    (
        {"sensorID": {"key": "ee:sensorID"}},
        {},
        (
            "attributes.sensorID: 'key' says that values are individuals, but not of which property: "
            'add property = "…", whose objects they are'
        ),
    ),
    (
        {"sensorID": {"property": "evt:hasSource", "key": "ee:sensorID", "individual": "ee:{}"}},
        {},
        "attributes.sensorID: 'individual' and 'key' are two ways to find one individual: keep one of them",
    ),
    (
        {"sensorID": {"property": "evt:hasSource", "datatype": "xsd:string", "ignore_case": True}},
        {},
        (
            "attributes.sensorID: 'ignore_case' is of values that stand for individuals: "
            'add key = "rdfs:label" (or another property), or individual = "ex:{}"'
        ),
    ),
    (
        {"sensorID": {"property": "evt:hasSource", "datatype": "xsd:string", "of_class": "ee:Sensor"}},
        {},
        (
            "attributes.sensorID: 'of_class' is of values that stand for individuals: "
            'add key = "rdfs:label" (or another property), or individual = "ex:{}"'
        ),
    ),
    (
        {"sensorID": {"property": "evt:hasSource", "individual": "ee:{}", "of_class": "ee:Sensor"}},
        {},
        (
            "attributes.sensorID: 'of_class' says whose keys are meant, and a template looks for nobody: "
            "drop 'of_class', or use key instead of individual"
        ),
    ),
    (
        {"flowrate": {"property": "hvc:airflow", "same_as": "hvc:airflow"}},
        {},
        "attributes.flowrate: 'property' and 'same_as' both name its property: keep one of them",
    ),
    (
        {"sensorID": {"same_as": "evt:hasSource", "individual": "ee:{}"}},
        {},
        "attributes.sensorID: 'same_as' is for literals, 'individual' for individuals: write property, not same_as",
    ),
    (
        {"flowrate": {"same_as": "hvc:airflow", "datatype": "xsd:duble"}},
        {},
        "attributes.flowrate: events cannot hold the datatype 'xsd:duble': did you mean 'xsd:double'?",
    ),
    (
        {"sensorID": {"property": "evt:hasSource"}},
        {},
        (
            "attributes.sensorID: needs a datatype, for the range of <http://cei.usc.edu/Event.owl#hasSource> does not "
            "say it: "
            'add datatype = "xsd:double" (or another), or individual, or key'
        ),
    ),
    ({"x": {}}, {}, 'attributes.x: needs a datatype: add datatype = "xsd:double" (or another)'),
    (
        {"timestamp": {"datatype": "xsd:integer"}},
        {},
        (
            "attributes.timestamp: the time attribute cannot be of datatype xsd:integer: "
            "drop 'datatype'; it is xsd:dateTime"
        ),
    ),
    (
        {"timestamp": {"property": "evt:hasTime", "key": "ee:sensorID"}},
        {},
        "attributes.timestamp: the time attribute cannot stand for individuals: drop 'individual' or 'key'",
    ),
    (
        {"timestamp": {"property": "evt:at"}},
        {},
        (
            "time.property: names another property than attributes.timestamp: "
            "<http://cei.usc.edu/Event.owl#hasTime> and <http://cei.usc.edu/Event.owl#at>: keep one of them"
        ),
    ),
    (
        {"_x": {"datatype": "xsd:string"}},
        {},
        (
            "attributes._x: attribute names cannot be empty or begin with '_' or '?': "
            "rename it before it reaches the stream"
        ),
    ),
    (
        {"sensorID": {"property": "evt:hasSource", "individual": "<not an iri/{}>"}},
        {},
        (
            "attributes.sensorID: the template '<not an iri/{}>' makes no IRI: "
            'write a prefixed name or <iri>, such as "ee:{}"'
        ),
    ),
    (
        {"x": {"same_as": "hvc:air]flow"}},
        {},
        "attributes.x: 'hvc:air]flow' makes no IRI: percent-encode what IRIs cannot hold",
    ),
    (
        {"x": {"same_as": "hvc:air flow"}},
        {},
        "attributes.x: 'hvc:air flow' makes no IRI: percent-encode what IRIs cannot hold",
    ),
    (
        {"note": {"same_as": "hvc:note", "datatype": "xsd:string", "unit": "unit:M"}},
        {},
        "attributes.note: a value of type xsd:string has no unit: drop 'unit'",
    ),
    (
        {"flowrate": {"same_as": "hvc:airflow", "unit": "unit:DEGG_C"}},
        {},
        "attributes.flowrate.unit: there is no unit 'unit:DEGG_C': did you mean 'unit:DEG_C'?",
    ),
    (
        {"flowrate": {"same_as": "hvc:airflow", "unit": "buckets"}},
        {},
        (
            "attributes.flowrate.unit: there is no unit 'buckets': write QUDT's name, such as unit:FT3-PER-MIN, a "
            "symbol or a UCUM code; or declare it in a module: its qudt:conversionMultiplier and "
            "qudt:hasDimensionVector"
        ),
    ),
]


@pytest.mark.parametrize(("attributes", "stream", "message"), _WRONG)
def test_wrong_annotations(attributes: dict[str, Any], stream: dict[str, Any], message: str) -> None:
    """The message names the file, the stream, the key and the way out."""
    with pytest.raises(AnnotationError) as caught:
        Annotator("airflowReport", _settings(attributes, **stream), _KNOWLEDGE)
    assert str(caught.value) == f"kaicep.toml: streams.airflowReport.{message}"


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        (
            _settings({"flowrate": {"same_as": "hcv:airflow"}}),
            ConfigError,
            "kaicep.toml: streams.airflowReport.attributes.flowrate: unknown prefix 'hcv:': did you mean 'hvc'?",
        ),
        (
            _settings({"flowrate": {"same_as": "hvc:airflow", "unit": "units:M"}}),
            ConfigError,
            "kaicep.toml: streams.airflowReport.attributes.flowrate: unknown prefix 'units:': did you mean 'unit'?",
        ),
        (
            _settings({}, event_type="AirflowReport"),
            ConfigError,
            (
                "kaicep.toml: streams.airflowReport.event_type: 'AirflowReport' is no IRI: "
                "write prefix:AirflowReport or <…>"
            ),
        ),
        (
            Settings.parse({"streams": {}}, file="kaicep.toml"),
            AnnotationError,
            "kaicep.toml: there is no stream 'airflowReport': add [streams.…]",
        ),
    ],
)
def test_wrong_names(settings: Settings, error: type[KaicepError], message: str) -> None:
    """Unknown prefixes and streams are refused with their place."""
    with pytest.raises(error) as caught:
        Annotator("airflowReport", settings, _KNOWLEDGE)
    assert str(caught.value) == message


def test_the_nearest_stream_is_suggested() -> None:
    with pytest.raises(AnnotationError) as caught:
        compile_annotation("airflowreport", _settings({}), _KNOWLEDGE)
    assert str(caught.value) == "kaicep.toml: there is no stream 'airflowreport': did you mean 'airflowReport'?"


def test_datatype_of_the_range() -> None:
    """Without a datatype the property's range says it; individuals are named by strings; the time is a dateTime."""
    annotation = compile_annotation(
        "airflowReport",
        _settings({"flowrate": _AIRFLOW, "sensorID": {"property": "evt:hasSource", "individual": "ee:{}"}}),
        _KNOWLEDGE,
    )
    types = {a.name: a.datatype.rpartition("#")[2] for a in annotation.attributes}
    assert types == {"timestamp": "dateTime", "flowrate": "float", "sensorID": "string"}


def test_equivalent_names_are_aliases() -> None:
    """Raw names and IRIs equivalent to the property mean the attribute (paper §4.1, normalisation)."""
    stream = compile_annotation("airflowReport", _settings({"flowrate": _AIRFLOW}), _KNOWLEDGE).stream_type()
    flowrate = next(a for a in stream.attributes if a.name == "flowrate")
    assert flowrate.type is ValueType.DOUBLE
    assert flowrate.property == _HVC + "airflow"
    assert flowrate.aliases == {"airflow", "airvolume", _HVC + "flowrate", _HVC + "airvolume"}


def test_a_declared_name_is_no_alias_of_another() -> None:
    """`airvolume` is its own attribute when the annotation declares it."""
    attributes = {"flowrate": _AIRFLOW, "airvolume": {"datatype": "xsd:string"}}
    annotation = compile_annotation("airflowReport", _settings(attributes), _KNOWLEDGE)
    assert {a.name: a.sources for a in annotation.attributes} == {
        "timestamp": ("timestamp", "hasTime"),
        "flowrate": ("flowrate", "airflow"),
        "airvolume": ("airvolume",),
    }


def test_names_that_would_mean_two_attributes_mean_none() -> None:
    attributes = {
        "a": {"property": "hvc:note", "datatype": "xsd:string"},
        "b": {"property": "evt:note", "datatype": "xsd:string"},
    }
    annotation = compile_annotation("airflowReport", _settings(attributes), _KNOWLEDGE)
    assert [a.sources for a in annotation.attributes][1:] == [("a",), ("b",)]


def test_unknown_names_are_warnings() -> None:
    """Knowledge may come later."""
    attributes = {
        "sensorID": {"property": "evt:source", "key": "ee:id"},
        "flow": {"same_as": "hvc:airflow", "unit": "unit:DeciB"},
    }
    annotator = Annotator("airflowReport", _settings(attributes, event_type="evt:Report"), _KNOWLEDGE)
    place = "kaicep.toml: streams.airflowReport"
    assert annotator.warnings == (
        (
            f"{place}.event_type: the knowledge base does not know <http://cei.usc.edu/Event.owl#Report>: "
            "did you mean 'http://cei.usc.edu/Event.owl#AirflowReport'?"
        ),
        (
            f"{place}.attributes.sensorID: the knowledge base does not know <http://cei.usc.edu/Event.owl#source>: "
            "did you mean 'http://cei.usc.edu/Event.owl#hasSource'?"
        ),
        (
            f"{place}.attributes.sensorID.key: the knowledge base does not know <http://cei.usc.edu/Equipment.owl#id>: "
            "did you mean 'http://cei.usc.edu/Equipment.owl#sensorID'?"
        ),
        (
            f"{place}.attributes.flow.unit: nobody says how <http://qudt.org/vocab/unit/DeciB> is converted: "
            "values in it can be compared with each other only"
        ),
    )


def test_a_term_of_a_shipped_ontology_is_told_with_its_name() -> None:
    source = {"property": "sosa:madeBySensor", "individual": "ee:{}"}
    annotator = Annotator("airflowReport", _settings({"sensorID": source}), _KNOWLEDGE)
    assert annotator.warnings == (
        (
            "kaicep.toml: streams.airflowReport.attributes.sensorID: the knowledge base does not know "
            '<http://www.w3.org/ns/sosa/madeBySensor>: list "sosa" in knowledge.modules'
        ),
    )


def test_where_nothing_is_loaded_every_name_is_new() -> None:
    annotator = Annotator("airflowReport", _settings({}), KnowledgeBase.empty())
    assert annotator.warnings == ()


@pytest.mark.parametrize("written", ["unit:FT3-PER-MIN", "unit:CFM", "cfm", "ft³/min", "[cft_i]/min", "ft3/min"])
def test_a_unit_may_be_written_as_it_is_called(written: str) -> None:
    attributes = {"flow": {"same_as": "hvc:airflow", "unit": written}}
    annotation = compile_annotation("airflowReport", _settings(attributes), _KNOWLEDGE)
    assert annotation.attributes[-1].unit == "http://qudt.org/vocab/unit/FT3-PER-MIN"
